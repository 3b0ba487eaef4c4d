package web

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// TestIncidentFiles downloads an incident as a report and as a recording that
// replay accepts: the time around it, its cluster and no other.
func TestIncidentFiles(t *testing.T) {
	w := newWorld(t)
	in := open()
	w.list = []store.Incident{in}
	for _, at := range []time.Time{in.OpenedAt.Add(-time.Minute), in.OpenedAt.Add(-time.Hour), in.OpenedAt} {
		for _, ref := range []store.Ref{in.Ref(), {Cluster: "elsewhere", Instance: "x"}} {
			w.kept = append(w.kept, store.Batch{Ref: ref, Source: "postgres", At: at, Elapsed: time.Second,
				Samples: []store.Sample{store.SampleOf(store.MustLookup("pg.active"), "", 3, time.Second)}})
		}
	}
	h := w.server(Site{}).Handler()
	md := ask(t, h, "GET", "/api/v1/incidents/"+in.ID+".md", "")
	if md.StatusCode != 200 || !strings.Contains(md.text, "## Evidence at the worst moment") || !strings.Contains(md.text, "runbook: "+in.Runbook) {
		t.Errorf("report: %d\n%s", md.StatusCode, md.text)
	}
	rec := ask(t, h, "GET", "/api/v1/incidents/"+in.ID+".jsonl", "")
	lines := 0
	problems, err := store.ReadRecording(strings.NewReader(rec.text), "x", func(_ int, b store.Batch) error {
		lines++
		if b.Ref != in.Ref() {
			t.Errorf("a line of %s", b.Ref)
		}
		return nil
	})
	if err != nil || len(problems) > 0 || lines != 2 {
		t.Errorf("recording: %d lines, %v, %v", lines, problems, err)
	}
	for _, path := range []string{"/api/v1/incidents/999.md", "/api/v1/incidents/999.jsonl"} {
		if r := ask(t, h, "GET", path, ""); r.StatusCode != 404 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}
