package report

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

var t0 = time.Date(2026, 12, 1, 2, 29, 56, 0, time.UTC)

func number(v float64) *float64 { return &v }

func incident() store.Incident {
	closed := t0.Add(45 * time.Second)
	at := t0.Add(time.Second)
	return store.Incident{
		ID: "7", Cluster: "events", Instance: "events-1", Runbook: "autovacuum-stall", Severity: store.Stall, State: store.StateClosed,
		OpenedAt: t0, WorstAt: at, LastYes: t0.Add(6 * time.Second), ClosedAt: &closed, Summary: "Autovacuum on public.usage_events stalls",
		Evidence: []store.Evidence{
			{Clause: "p50-lift", Says: "Requests are slower", Observed: number(1173), Threshold: number(23.8), Unit: "ms", Compare: "≥", Verdict: store.Yes, At: &at, Instance: "events-1"},
			{Clause: "loads", Says: "It loads", Compare: "≥", Threshold: number(1), Why: "nobody asked", Verdict: store.Unknown},
		},
		Timeline: []store.Event{{At: t0, Text: "opened"}, {At: closed, Text: "over"}},
	}
}

func TestMarkdown(t *testing.T) {
	got := Markdown(Input{
		Incident: incident(), Title: "Autovacuum stalls every commit", Now: t0.Add(time.Hour), Link: "https://sb.example/incidents/7",
		Events: []store.Event{{At: t0.Add(time.Second), Text: `"public"."a|b<script>" was vacuumed`}},
		Runs:   []store.StepRun{{At: t0.Add(2 * time.Second), Step: "pass-log", Who: "ada", Result: store.Pass, Says: "1 pass"}},
	})
	for _, want := range []string{
		"id: \"7\"", "closed: 2026-12-01T02:30:41Z", `# Autovacuum on public.usage\_events stalls`, "2026-12-01 02:29:56 to 2026-12-01 02:30:02, 6s",
		"| yes | Requests are slower (`p50-lift`) | 1,173 ms | ≥ 23.8 ms | events-1 | 2026-12-01 02:29:57 |",
		"| unknown | It loads (`loads`) | unknown: nobody asked | ≥ 1 |", `a\|b\<script\>`, "| pass | 1 pass |", "<https://sb.example/incidents/7>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q\n%s", want, got)
		}
	}
	if opened, around, over := strings.Index(got, "| opened |"), strings.Index(got, "was vacuumed"), strings.Index(got, "| over |"); !(opened < around && around < over) {
		t.Errorf("the timeline is out of order: %d %d %d", opened, around, over)
	}
}

func TestSpan(t *testing.T) {
	in := incident()
	if from, to := Span(in, t0.Add(time.Hour)); from != t0.Add(-Before) || to != in.ClosedAt.Add(After) {
		t.Errorf("closed: %v to %v", from, to)
	}
	in.ClosedAt = nil
	if _, to := Span(in, t0.Add(time.Minute)); to != t0.Add(time.Minute) {
		t.Errorf("open: to %v", to)
	}
}
