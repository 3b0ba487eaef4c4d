package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

func TestHostIsChecked(t *testing.T) {
	h := newWorld(t).server(Site{PublicURL: "https://stallbook.example.net", Hosts: []string{"Stalls.Example.org:8443"}}).Handler()
	for host, ok := range map[string]bool{
		"127.0.0.1:8080": true, "localhost": true, "[::1]:8080": true, "127.8.8.8": true, "app.localhost:1": true,
		"stallbook.example.net": true, "STALLBOOK.example.net.": true, "stalls.example.org": true,
		"evil.example": false, "10.0.0.7:8080": false, "localhost.evil.example": false, "": false,
	} {
		a := ask(t, h, "GET", "/api/v1/clusters", "", "Host", host)
		if got := a.StatusCode == http.StatusOK; got != ok {
			t.Errorf("Host %q: status %d", host, a.StatusCode)
		}
		if !ok && !strings.Contains(a.text, "does not answer to the name") {
			t.Errorf("Host %q is refused without a sentence: %s", host, a.text)
		}
	}
	if a := ask(t, h, "GET", "/incidents", "", "Host", "evil.example"); a.StatusCode != 403 || strings.Contains(a.text, "<") {
		t.Errorf("a stranger is shown more than a sentence: %d %s", a.StatusCode, a.text)
	}
	if a := ask(t, h, "HEAD", "/incidents", ""); a.StatusCode != 200 {
		t.Errorf("HEAD: %d", a.StatusCode)
	}
	if a := ask(t, h, "GET", "/healthz", "", "Host", "10.0.0.7:8080"); a.StatusCode != 200 {
		t.Error("a probe by address is refused")
	}
}

func TestCrossSitePostIsRefused(t *testing.T) {
	w := newWorld(t)
	h := w.server(Site{PublicURL: "https://stallbook.example.net"}).Handler()
	body := fmt.Sprintf(`{"runbook":"recovery-prefetch","step":%q,"cluster":"orders","instance":"orders-2"}`, stepOf(t, w, "recovery-prefetch", "check"))
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"other site", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		{"other origin, old browser", []string{"Origin", "https://evil.example"}, 403},
		{"own page", []string{"Sec-Fetch-Site", "same-origin"}, 201},
		{"public address behind a proxy", []string{"Origin", "https://stallbook.example.net"}, 201},
		{"a program", nil, 201},
	} {
		a := ask(t, h, "POST", "/api/v1/runs", body, c.headers...)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", c.name, a.StatusCode, a.text)
		}
	}
	if len(w.runs) != 3 {
		t.Errorf("%d runs were made, want 3", len(w.runs))
	}
}

func TestEveryAnswerForbidsInlineCode(t *testing.T) {
	h := newWorld(t).server(Site{}).Handler()
	for _, path := range []string{"/incidents", "/runbooks", "/diagnosis", "/nowhere", "/api/v1/clusters", "/static/tokens.css"} {
		a := ask(t, h, "GET", path, "")
		csp := a.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'self'") || strings.Contains(csp, "unsafe-inline") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
		if strings.Contains(a.text, " style=") || strings.Contains(a.text, "<script>") || strings.Contains(a.text, " onclick=") {
			t.Errorf("%s has inline style or script", path)
		}
	}
}

func TestNotFoundInBothForms(t *testing.T) {
	h := newWorld(t).server(Site{}).Handler()
	page := ask(t, h, "GET", "/nowhere", "", "Accept", "text/html")
	if page.StatusCode != 404 || !strings.Contains(page.text, "<h1>Not found</h1>") {
		t.Errorf("page: %d %s", page.StatusCode, page.text)
	}
	if a := ask(t, h, "GET", "/api/v1/nowhere", ""); a.StatusCode != 404 || a.errorCode(t) != "not_found" {
		t.Errorf("api: %d %s", a.StatusCode, a.text)
	}
	if a := ask(t, h, "GET", "/runbooks/autovacum-stall", ""); a.StatusCode != 404 || !strings.Contains(a.text, "Did you mean autovacuum-stall?") {
		t.Errorf("a misspelt runbook gives no hint: %d", a.StatusCode)
	}
	if a := ask(t, h, "DELETE", "/api/v1/incidents", ""); a.StatusCode != 405 || a.errorCode(t) != "method" {
		t.Errorf("method: %d", a.StatusCode)
	}
}

func TestBasePath(t *testing.T) {
	h := newWorld(t).server(Site{BasePath: "/stallbook"}).Handler()
	if a := ask(t, h, "GET", "/stallbook/incidents", ""); a.StatusCode != 200 || !strings.Contains(a.text, `href="/stallbook/runbooks"`) {
		t.Errorf("a page below the base path: %d", a.StatusCode)
	}
	if a := ask(t, h, "GET", "/stallbook", ""); a.Header.Get("Location") != "/stallbook/" {
		t.Errorf("the base path itself: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := ask(t, h, "GET", "/incidents", ""); a.StatusCode != 404 {
		t.Errorf("outside the base path: %d", a.StatusCode)
	}
	if a := ask(t, h, "GET", "/stallbook/api/v1/nowhere", ""); a.errorCode(t) != "not_found" {
		t.Errorf("the API below the base path answers %s", a.text)
	}
	if a := ask(t, h, "GET", "/stallbook/r/wal-pool-stall?cluster=orders", ""); a.Header.Get("Location") != "/stallbook/runbooks/wal-pool-stall?cluster=orders" {
		t.Errorf("the short link leads to %q", a.Header.Get("Location"))
	}
}

func TestPanicGivesThePageAndNoDetail(t *testing.T) {
	w := newWorld(t)
	s := w.server(Site{})
	h := s.recovered(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("password=hunter2") }))
	a := ask(t, h, "GET", "/incidents", "", "Accept", "text/html")
	if a.StatusCode != 500 || strings.Contains(a.text, "hunter2") || !strings.Contains(a.text, "reason is in its log") {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
}

func TestErrorsAreDescribed(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{&store.Problem{Code: "conflict", Message: "m"}, 409, "conflict"},
		{fmt.Errorf("deep: %w", &store.Problem{Code: "unavailable", Message: "m"}), 503, "unavailable"},
		{fmt.Errorf("deep: %w", store.ErrNotFound), 404, "not_found"},
		{context.DeadlineExceeded, 504, "timeout"},
		{errors.New("SELECT secret FROM pg_authid"), 500, "internal"},
		{&store.Problem{Code: "unheard-of", Message: "m"}, 500, "internal"},
	} {
		f := describe(c.err)
		if f.Status != c.status || f.Code != c.code || strings.Contains(f.Message, "SELECT") {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}

func TestGzipForTextOnly(t *testing.T) {
	h := newWorld(t).server(Site{}).Handler()
	if a := ask(t, h, "GET", "/runbooks/recovery-prefetch", "", "Accept-Encoding", "gzip"); a.Header.Get("Content-Encoding") != "gzip" {
		t.Error("a page is not packed")
	}
	a := ask(t, h, "GET", "/static/tokens.css", "")
	if a.Header.Get("Cache-Control") == "" || strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("an asset without its hash: %q", a.Header.Get("Cache-Control"))
	}
	s := newWorld(t).server(Site{})
	if a := ask(t, s.Handler(), "GET", s.linked("tokens.css")[0], ""); !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("an asset with its hash: %q", a.Header.Get("Cache-Control"))
	}
}

func TestNewNamesWhatIsMissing(t *testing.T) {
	if _, err := New(Deps{}); err == nil || !strings.Contains(err.Error(), "Deps.") {
		t.Errorf("empty Deps: %v", err)
	}
	w := newWorld(t)
	d := w.server(Site{}).d
	d.Site.BasePath = "stallbook/"
	if _, err := New(d); err == nil {
		t.Error("a base path without its slash is taken")
	}
	d.Site = Site{PublicURL: "stallbook.example.net"}
	if _, err := New(d); err == nil {
		t.Error("a public URL without a scheme is taken")
	}
}

// stepOf is the id of the first step of a kind.
func stepOf(t testing.TB, w *world, slug, kind string) string {
	t.Helper()
	b, ok := w.library.Get(slug)
	if !ok {
		t.Fatal("no runbook " + slug)
	}
	for _, st := range b.Steps {
		if st.Kind == kind {
			return st.ID
		}
	}
	t.Fatalf("%s has no %s", slug, kind)
	return ""
}

func TestWordsOfTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 7400 * time.Millisecond: "7 s", 119 * time.Second: "119 s", 125 * time.Second: "2 min 05 s",
		3*time.Hour + 20*time.Minute: "3 h 20 min", 98 * time.Hour: "4 d 2 h",
	} {
		if got := lasted(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
