package web

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// openIncident tells an open incident: its sentence, what speaks for it, and the
// three traces that show it.
func (s *Server) openIncident(in store.Incident, now time.Time) views.OpenIncident {
	o := views.OpenIncident{
		ID: in.ID, State: severityChip(in.Severity), Tone: tone(in.Severity), Where: shortName(in.Ref()),
		Since: when(in.OpenedAt, now), Lasted: ageOf(in.OpenedAt, now, true, ""), Says: in.Summary,
		Href: s.link("/incidents/" + in.ID), PageHref: s.bookLink(in.Runbook, in.Ref(), "", in.ID),
	}
	if in.State == store.StateClearing {
		o.State.Word += ", clearing"
	}
	hold, need := holds(in.Evidence, in.Form)
	o.Facts = append(o.Facts, views.Fact{Name: "Page", Href: o.PageHref,
		Says: fmt.Sprintf("%s, %d of %d clauses", s.bookTitle(in.Runbook), hold, need)})
	if in.Form != "" {
		o.Facts = append(o.Facts, views.Fact{Name: "Form", Says: strings.ReplaceAll(in.Form, "-", " ")})
	}
	for _, r := range in.Runners {
		o.Facts = append(o.Facts, views.Fact{Name: "Also", Says: s.bookTitle(r.Runbook) + " matches on " + r.Instance,
			Href: s.bookLink(r.Runbook, store.Ref{Cluster: in.Cluster, Instance: r.Instance}, "", in.ID)})
	}
	if in.Muted != "" {
		o.Facts = append(o.Facts, views.Fact{Name: "Muted", Says: in.Muted})
	}
	span := min(max(now.Sub(in.OpenedAt)+45*time.Second, 90*time.Second), (store.WindowSeconds-2)*time.Second)
	from := now.Add(-span)
	o.Traces = s.traces(in, from, now)
	o.From, o.To = clock(from), clock(now)
	return o
}

func tone(sev store.Severity) string {
	switch sev {
	case store.Outage, store.Stall:
		return string(sev)
	}
	return "act"
}

// traces shows the signals the incident rests on, in the order of its evidence,
// filled up with what is worth seeing in any stall.
func (s *Server) traces(in store.Incident, from, now time.Time) []views.Trace {
	type want struct {
		instance string
		id       store.SignalID
		usual    *float64
	}
	var wants []want
	add := func(instance, signal string, usual *float64) {
		id, ok := store.Lookup(signal)
		if !ok || id.Info().Label != "" || signalTitles[signal] == "" {
			return
		}
		if slices.ContainsFunc(wants, func(w want) bool { return w.instance == instance && w.id == id }) {
			return
		}
		wants = append(wants, want{instance, id, usual})
	}
	for _, e := range effectsFirst(in.Evidence) {
		add(e.Instance, e.Signal, e.Usual)
	}
	for _, name := range []string{"latency.p50_ms", "disk.iops", "pg.wait.sync_rep", "pg.wait.wal", "pg.replay_lag_kib"} {
		add(in.Instance, name, nil)
	}
	stall := [][2]time.Time{{in.OpenedAt, now}}
	var out []views.Trace
	s.d.Window.Read(func(v store.View) {
		for _, w := range wants {
			inst := v.Instance(store.Ref{Cluster: in.Cluster, Instance: w.instance})
			if inst == nil || len(out) == 3 {
				continue
			}
			if t, ok := traceOf(inst, w.id, w.usual, from, now, stall); ok {
				out = append(out, t)
			}
		}
	})
	return out
}

// effectsFirst is the evidence that holds, what people feel before what the disk
// does before the rest.
func effectsFirst(list []store.Evidence) []store.Evidence {
	var out []store.Evidence
	for _, e := range list {
		if e.Verdict == store.Yes && e.Group != store.GroupNone {
			out = append(out, e)
		}
	}
	rank := func(e store.Evidence) int {
		switch {
		case e.Signal == "pg.wait.sync_rep":
			return 0
		case strings.HasPrefix(e.Signal, "latency."):
			return 1
		case strings.HasSuffix(e.Signal, "iops"), strings.HasPrefix(e.Signal, "disk.") && strings.HasSuffix(e.Signal, "kib_s"):
			return 2
		case strings.HasPrefix(e.Signal, "pg.replay_lag"):
			return 3
		}
		return 4
	}
	slices.SortStableFunc(out, func(a, b store.Evidence) int { return rank(a) - rank(b) })
	return out
}

// traceOf draws one signal of one instance; ok is false without data.
func traceOf(in *store.Instance, id store.SignalID, usual *float64, from, now time.Time, stall [][2]time.Time) (views.Trace, bool) {
	series := in.Get(id, "")
	if series == nil {
		return views.Trace{}, false
	}
	sources := in.Sources()
	sp := sparkIn{points: series.Points(from, now), from: from, to: now, join: joinOf(everyOf(sources, series.Source)), shade: stall}
	if len(sp.points) == 0 {
		return views.Trace{}, false
	}
	name := id.Name()
	t := views.Trace{Title: signalTitles[name], Scope: in.Ref.Instance}
	cur := readNow(in, id, sources, now)
	t.Value = absent(cur.why)
	if cur.ok {
		t.Value = qty(cur.v, id.Info().Unit)
	}
	if limit, ok := limitOf(in, name); ok {
		sp.limit, sp.hot = limit, atLimit*limit
		t.Scope += ", limit " + store.Quantity(limit, id.Info().Unit) + " dashed"
		if cur.ok {
			t.Ref = shareOf(cur.v, limit)
		}
	}
	if strings.HasPrefix(name, "pg.wait.") {
		sp.hot = 1
	}
	if m, ok := series.Baseline.Median(); usual == nil && ok {
		usual = &m
	}
	if t.Ref == "" && usual != nil {
		t.Ref = "usual " + usualWords(*usual, id.Info().Unit)
	}
	t.Spark = sparkOf(sp)
	return t, true
}

// usualWords: half a session is a figure of the histogram, not of the server.
func usualWords(v float64, unit string) string {
	if unit == "sessions" {
		return store.Number(math.Round(v))
	}
	return store.Quantity(v, unit)
}

// limitOf is the limit a signal runs against, if it has one that is known.
func limitOf(in *store.Instance, signal string) (float64, bool) {
	name := map[string]string{
		"disk.iops": "disk.iops_limit", "disk.read_iops": "disk.iops_limit", "disk.write_iops": "disk.iops_limit",
		"disk.kib_s": "disk.kib_s_limit", "disk.read_kib_s": "disk.kib_s_limit", "disk.write_kib_s": "disk.kib_s_limit",
	}[signal]
	if name == "" {
		return 0, false
	}
	s := in.Get(store.MustLookup(name), "")
	if s == nil {
		return 0, false
	}
	p, ok := s.Last()
	return p.V, ok && p.V > 0
}

// signalTitles names a signal over its trace.
var signalTitles = map[string]string{
	"latency.p50_ms": "Latency, p50", "latency.p99_ms": "Latency, p99", "latency.rate": "Requests finished",
	"disk.iops": "I/Os", "disk.read_iops": "Read I/Os", "disk.write_iops": "Writes",
	"disk.kib_s": "Throughput", "disk.read_kib_s": "Read", "disk.write_kib_s": "Written",
	"disk.io_kib": "Mean I/O", "disk.read_io_kib": "Mean read", "disk.write_io_kib": "Mean write",
	"disk.read_await_ms": "Time per read", "disk.write_await_ms": "Time per write", "disk.queue": "I/Os in flight",
	"pg.wait.wal": "Waiting for WAL", "pg.wait.sync_rep": "Commits waiting", "pg.wait.data_read": "Waiting for reads",
	"pg.wait.wal_init": "Creating WAL files", "pg.wait.lock": "Waiting for locks",
	"pg.tps": "Transactions", "pg.active": "Active sessions", "pg.wal_kib_s": "WAL written", "pg.wal_fpi_s": "Full-page images",
	"pg.replay_lag_kib": "Left to replay", "pg.replay_lag_s": "Replay lag", "pg.replay_kib_s": "WAL replayed",
	"pg.prefetch_s": "Blocks prefetched", "pg.sync.streaming": "Standbys that can acknowledge",
	"rds.storage_progress_pct": "Volume loaded",
}
