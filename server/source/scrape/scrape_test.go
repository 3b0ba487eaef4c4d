package scrape

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const text = `# TYPE a_total counter
a_total{x="1"} 3
a_total{x="2"} 4
# TYPE h_seconds histogram
h_seconds_bucket{le="+Inf"} 1
h_seconds_sum 1
h_seconds_count 1
b 5
`

func client(t *testing.T, h http.HandlerFunc) (*Client, *httptest.Server) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c, err := New(strings.Replace(srv.URL, "http://", "http://ada:secret@", 1) + "/metrics?token=t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, srv
}

func TestGet(t *testing.T) {
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "ada" || password != "secret" || r.URL.Query().Get("token") != "t" || r.URL.Query().Get("collect[]") != "x" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		io.WriteString(w, text)
	})
	p, err := c.Get(t.Context(), url.Values{"collect[]": {"x"}})
	if err != nil || !c.Reached() || p.At.IsZero() {
		t.Fatal(err)
	}
	a := p.Family("a_total")
	if len(a) != 2 || Label(a[1], "x") != "2" || Number(a[1]) != 4 || Label(a[0], "y") != "" || Number(p.Family("b")[0]) != 5 {
		t.Errorf("a_total is %v", a)
	}
	if p.Family("c") != nil || strings.Join(p.Histograms(), " ") != "h_seconds" {
		t.Errorf("histograms %v", p.Histograms())
	}
}

func TestErrorsAreSentencesWithoutSecrets(t *testing.T) {
	slow := make(chan struct{})
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
		reached bool
	}{
		"status": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "over\nthere", http.StatusForbidden) }, "answered 403 Forbidden over there", true},
		"html":   {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>hello</p>") }, "no Prometheus text page", true},
		"silent": {func(w http.ResponseWriter, _ *http.Request) { <-slow }, "took the request and did not answer in time", true},
		"cut":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "closed the connection without an answer", true},
	} {
		cl, _ := client(t, c.handler)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := cl.Get(ctx, nil)
		cancel()
		if err == nil || !strings.Contains(err.Error(), c.says) || cl.Reached() != c.reached {
			t.Errorf("%s: %v, reached %v", name, err, cl.Reached())
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "token")) {
			t.Errorf("%s: a secret stands in %v", name, err)
		}
		var status *StatusError
		if errors.As(err, &status) != (name == "status") {
			t.Errorf("%s: is a status error: %v", name, err)
		}
	}
	close(slow)
}

func TestNotReached(t *testing.T) {
	c, srv := client(t, func(http.ResponseWriter, *http.Request) {})
	srv.Close()
	if _, err := c.Get(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "refused") || c.Reached() {
		t.Errorf("%v, reached %v", err, c.Reached())
	}
	for _, bad := range []string{"", "host:9100", "ftp://x/", "http://", "http://[::1"} {
		if _, err := New(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
