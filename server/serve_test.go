package server

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// TestStallToPage is the whole way on a real recording: an incident opens, its
// page and its runbook say the numbers, and a restart keeps both.
func TestStallToPage(t *testing.T) {
	cfg := emptyConfig(t)
	o := Options{Config: cfg, Feeds: []Feed{taped(t, "autovacuum-stall/fixtures/autovacuum-bandwidth-form.jsonl", "usage", 68*time.Second, 4*time.Second)}}
	s := start(t, o)
	ref := store.Ref{Cluster: "usage", Instance: "primary"}
	until(t, 20*time.Second, "an autovacuum stall opens", func() bool {
		list := s.incidents("?state=open")
		return len(list) == 1 && list[0].Runbook == "autovacuum-stall" && list[0].Ref() == ref
	})
	in := s.incidents("?state=open")[0]
	if len(in.Evidence) == 0 || in.Severity != store.Stall || !strings.Contains(in.Summary, "usage_events") {
		t.Errorf("incident %+v", in)
	}
	for path, want := range map[string]string{
		"/":                   "usage_events",
		"/clusters/usage":     "primary",
		instancePath(ref):     "primary",
		"/incidents":          "usage_events",
		"/incidents/" + in.ID: "/runbooks/autovacuum-stall?",
		"/runbooks":           "autovacuum-stall",
		"/runbooks/autovacuum-stall?cluster=usage&instance=primary": "usage_events",
		"/diagnosis?cluster=usage&instance=primary":                 "recovery-prefetch",
		"/metrics": "stallbook_",
		"/healthz": "",
		"/readyz":  "",
	} {
		if status, body := s.get(path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, says %q: %v", path, status, want, strings.Contains(body, want))
		}
	}
	s.stop()

	again := start(t, Options{Config: cfg})
	found := again.incidents("")
	if len(found) == 0 || found[len(found)-1].ID != in.ID || !found[len(found)-1].OpenedAt.Equal(in.OpenedAt) {
		t.Errorf("after the restart: %+v", found)
	}
	status, body := again.get("/api/v1/clusters/usage/primary/series?signal=latency.p50_ms&from=" + in.OpenedAt.Add(-time.Minute).Format(time.RFC3339) + "&to=" + in.OpenedAt.Add(time.Second).Format(time.RFC3339))
	if status != http.StatusOK || strings.Count(body, "[") < 30 {
		t.Errorf("history after the restart: %d\n%s", status, body)
	}
}

// A full disk stops the history, not the detection.
func TestBrokenHistoryDoesNotBlind(t *testing.T) {
	full := smallDisk(t)
	cfg := emptyConfig(t)
	cfg.Database = full + "/stallbook.db"
	o := Options{Config: cfg, Feeds: []Feed{taped(t, "autovacuum-stall/fixtures/autovacuum-bandwidth-form.jsonl", "usage", 68*time.Second, 12*time.Second)}}
	s := start(t, o)
	ballast := fill(t, full)
	until(t, 30*time.Second, "an autovacuum stall opens though the disk is full", func() bool { return len(s.incidents("?state=open")) == 1 })
	until(t, 20*time.Second, "the page says that no history is kept", func() bool {
		_, body := s.get("/")
		return strings.Contains(body, "full")
	})
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	until(t, 40*time.Second, "the history goes on by itself", func() bool {
		_, body := s.get("/")
		return !strings.Contains(body, "full")
	})
}
