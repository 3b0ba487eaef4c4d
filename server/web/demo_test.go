package web

import (
	"context"
	"strings"
	"testing"

	"stallbook/store"
)

type buttons struct {
	done []string
	err  error
}

func (b *buttons) Actions() []DemoAction {
	return []DemoAction{{ID: "outage", Title: "Stop the standby"}}
}

func (b *buttons) Do(_ context.Context, id string) error {
	b.done = append(b.done, id)
	return b.err
}

func TestDemoButtons(t *testing.T) {
	w := newWorld(t)
	d := w.server(Site{Mode: "demo --live"}).d
	b := &buttons{}
	d.Demo = b
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Handler()
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Referer", "http://127.0.0.1:8080/incidents?state=open"}
	if a := ask(t, h, "POST", "/demo", "action=outage", form...); a.StatusCode != 303 || a.Header.Get("Location") != "/incidents?state=open" || len(b.done) != 1 {
		t.Errorf("%d to %s, %v", a.StatusCode, a.Header.Get("Location"), b.done)
	}
	form[3] = "https://evil.example/x"
	if a := ask(t, h, "POST", "/demo", "action=outage", form...); a.Header.Get("Location") != "/" {
		t.Errorf("a foreign referer leads to %s", a.Header.Get("Location"))
	}
	if a := ask(t, h, "POST", "/demo", "action=drop", form...); a.StatusCode != 400 || len(b.done) != 2 {
		t.Errorf("an unknown button: %d", a.StatusCode)
	}
	b.err = &store.Problem{Code: "conflict", Message: "One stall at a time."}
	if a := ask(t, h, "POST", "/demo", "action=outage", form...); a.StatusCode != 409 || !strings.Contains(a.text, "One stall at a time.") {
		t.Errorf("%d", a.StatusCode)
	}
	if page := ask(t, h, "GET", "/incidents", "").text; !strings.Contains(page, "Stop the standby") {
		t.Error("the bar has no button")
	}
	plain := w.server(Site{}).Handler()
	if a := ask(t, plain, "POST", "/demo", "action=outage", form...); a.StatusCode != 404 {
		t.Errorf("outside a demo: %d", a.StatusCode)
	}
}
