package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stallbook/server/live"
	"stallbook/store"
)

// listen connects to the stream of a real server and returns its events.
func listen(t *testing.T, s *Server, path string) (<-chan live.Message, func()) {
	t.Helper()
	srv := httptest.NewServer(s.Handler())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if ct := res.Header.Get("Content-Type"); ct != "text/event-stream" || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("content type %q, encoding %q", ct, res.Header.Get("Content-Encoding"))
	}
	out := make(chan live.Message, 10)
	go func() {
		defer close(out)
		var m live.Message
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, v, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				m.Event = v
			case "data":
				m.Data = []byte(v)
				out <- m
			}
		}
	}()
	return out, func() { cancel(); res.Body.Close(); srv.Close() }
}

func next(t *testing.T, c <-chan live.Message) live.Message {
	t.Helper()
	select {
	case m := <-c:
		return m
	case <-time.After(5 * time.Second):
		t.Fatal("no event came")
	}
	return live.Message{}
}

func TestStreamStartsWithThePictureAndGoesOn(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	s := w.server(Site{})
	c, stop := listen(t, s, "/events")
	defer stop()
	var b tickBody
	m := next(t, c)
	if err := json.Unmarshal(m.Data, &b); err != nil || m.Event != "snapshot" {
		t.Fatal(m.Event, err)
	}
	if len(b.Instances) != 2 || len(b.Incidents) != 1 || b.Instances[1].State != "outage" || b.Instances[0].Values["pg.active"] != 4 {
		t.Errorf("%+v", b)
	}
	s.Tick(t.Context())
	if m := next(t, c); m.Event != "tick" || strings.Contains(string(m.Data), `"incidents"`) {
		t.Errorf("%s %s", m.Event, m.Data)
	}
	s.Changed(open())
	if m := next(t, c); m.Event != "incident" || !strings.Contains(string(m.Data), `"id":"41"`) {
		t.Errorf("%s %s", m.Event, m.Data)
	}
	s.Ran(store.StepRun{ID: "r1"})
	if m := next(t, c); m.Event != "run" || !strings.Contains(string(m.Data), `"rows":[]`) {
		t.Errorf("%s %s", m.Event, m.Data)
	}
}

func TestStreamOfOneInstanceHasAllItsSignals(t *testing.T) {
	w := newWorld(t)
	w.push(primary, "postgres", store.RolePrimary, noon, map[string]float64{"pg.wal_fpi_s": 7})
	s := w.server(Site{})
	c, stop := listen(t, s, "/events?cluster=orders&instance=orders-1")
	defer stop()
	next(t, c)
	s.Tick(t.Context())
	var b tickBody
	if err := json.Unmarshal(next(t, c).Data, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Instances) != 1 || b.Instances[0].Values["pg.wal_fpi_s"] != 7 {
		t.Errorf("%+v", b)
	}
	if a := ask(t, s.Handler(), "GET", "/events?cluster=orders&instance=x", "", "Accept", "application/json"); a.StatusCode != 404 {
		t.Errorf("an unknown instance: %d", a.StatusCode)
	}
}

// An incident that opens within the second of the last look must not wait for
// the next: its event makes the list be read again.
func TestChangedRefreshesTheOpenList(t *testing.T) {
	w := newWorld(t)
	s := w.server(Site{})
	if list, _ := s.openNow(t.Context()); len(list) != 0 {
		t.Fatal("an incident from nowhere")
	}
	w.list = []store.Incident{open()}
	s.Changed(w.list[0])
	if list, _ := s.openNow(t.Context()); len(list) != 1 {
		t.Error("the list is the old one")
	}
}

func TestOldValuesAreLeftOutOfATick(t *testing.T) {
	w := newWorld(t)
	w.now = noon.Add(10 * time.Second)
	s := w.server(Site{})
	for _, in := range s.tickBody(nil, store.Ref{}).Instances {
		if len(in.Values) != 0 {
			t.Errorf("%s shows a value of 11 s ago as present: %v", in.Instance, in.Values)
		}
	}
}
