package web

import (
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// impactOrder is which numbers say best how bad it is; a signal that is not
// here is never an impact.
var impactOrder = []string{
	"pg.wait.sync_rep", "latency.p50_ms", "latency.p99_ms", "pg.wait.wal", "pg.wait.data_read", "pg.wait.wal_init",
	"pg.replay_lag_s", "pg.replay_lag_kib", "disk.iops", "disk.kib_s", "disk.read_iops", "disk.write_iops",
	"disk.read_await_ms", "disk.write_await_ms", "pg.sync.streaming",
}

// impactLimit keeps the row in one line on a wide screen.
const impactLimit = 5

// impact is how long and how bad: the duration and the clauses' worst values.
func (s *Server) impact(in store.Incident, now time.Time) []views.Impact {
	title := "Requests wait for"
	switch in.Severity {
	case store.Outage:
		title = "Writes stopped for"
	case store.Degraded, store.Risk:
		title = "Lasts for"
	}
	hot := in.Severity.Rank() >= store.Stall.Rank()
	since := in.OpenedAt
	if in.Severity == store.Outage {
		since = in.SevereSince() // it may have opened as a lag that hurt nobody
	}
	first := views.Impact{Title: title, Hot: hot && in.Ongoing(), Ref: "since " + when(since, now)}
	if in.Ongoing() {
		age := ageOf(since, now, true, "")
		first.Age = &age
	} else {
		first.Title = strings.Replace(strings.Replace(title, "wait", "waited", 1), "Lasts", "Lasted", 1)
		first.Value = views.Qty{Num: lasted(in.LastYes.Sub(since))}
		first.Ref = clock(since) + " to " + clock(in.LastYes)
		if in.LastYes.Sub(in.OpenedAt) < time.Second {
			first = views.Impact{Title: "Recognised", Value: views.Qty{Num: clock(in.OpenedAt)}, Ref: "its effect was last seen at " + clock(in.LastYes)}
		}
	}
	out := []views.Impact{first}
	for _, name := range impactOrder {
		for _, e := range in.Evidence {
			if e.Signal != name || e.Observed == nil || e.Verdict != store.Yes || e.Group == store.GroupNone || len(out) == impactLimit {
				continue
			}
			out = append(out, impactOf(e))
			break
		}
	}
	return out
}

func impactOf(e store.Evidence) views.Impact {
	ref := []string{e.Instance}
	if e.Usual != nil {
		ref = append(ref, "usual "+store.Quantity(*e.Usual, e.Unit))
	} else if t := threshold(e); e.Threshold != nil {
		ref = append(ref, "threshold "+t)
	}
	if e.At != nil {
		ref = append(ref, "at "+clock(*e.At))
	}
	title := signalTitles[e.Signal]
	if title == "" || e.Unit == "events" { // a count of moments is not the signal's value
		title = e.Says
	}
	return views.Impact{Title: title, Value: observed(e), Ref: strings.Join(ref, ", ")}
}
