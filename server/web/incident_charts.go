package web

import (
	"context"
	"slices"
	"time"

	"stallbook/store"
	"stallbook/views"
)

const (
	// chartLead and chartTail are how much stands before and after a stall.
	chartLead = 60 * time.Second
	chartTail = 30 * time.Second
	// incidentChartLimit keeps the proof to what can be seen at once.
	incidentChartLimit = 5
)

// incidentCharts draws what the incident rests on, around it: for each instance
// that its evidence speaks of, the charts of the signals that hold.
func (s *Server) incidentCharts(ctx context.Context, in store.Incident) ([]views.ChartPanel, error) {
	win := incidentWindow(in, s.d.Now().UTC())
	marks := chartMarks{stalls: [][2]time.Time{{in.OpenedAt, in.OpenedAt.Add(in.Duration(win.to))}}}
	var picked []views.ChartPanel
	for _, ref := range evidenceRefs(in) {
		if _, err := s.known(ref); err != nil {
			continue // no longer watched: its limits and rhythm are not known
		}
		set, err := s.chartSet(ctx, ref, win)
		if err != nil {
			return nil, err
		}
		for _, p := range set.charts {
			if len(picked) == incidentChartLimit || !showsEvidence(p.def, in, ref) {
				continue
			}
			c := chartView(p, set, marks, len(picked) == 0, false)
			c.ID += "-" + ref.Instance
			c.Scope = ref.Instance
			if p.def.limit != "" && p.limit == 0 {
				c.Scope += ", limit not known"
			}
			picked = append(picked, views.ChartPanel{Chart: c})
		}
	}
	if n := len(picked); n > 0 {
		picked[n-1].Chart.Axis = true
	}
	return picked, nil
}

// incidentWindow is the stretch around an incident: from before it opened to
// shortly after its last second, or to now.
func incidentWindow(in store.Incident, now time.Time) timeWindow {
	w := timeWindow{key: "incident", from: in.OpenedAt.UTC().Add(-chartLead).Truncate(time.Second), to: now.Truncate(time.Second), layout: "15:04:05"}
	if end := in.LastYes.UTC().Add(chartTail); !in.Ongoing() && end.Before(now) {
		w.to = end.Truncate(time.Second)
	}
	w.span = w.to.Sub(w.from)
	w.label = lasted(w.span)
	steps := []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}
	for _, w.tick = range steps {
		if w.span/w.tick <= 6 {
			break
		}
	}
	return w
}

// evidenceRefs is the incident's own instance, then the others its evidence
// speaks of.
func evidenceRefs(in store.Incident) []store.Ref {
	out := []store.Ref{in.Ref()}
	for _, e := range in.Evidence {
		ref := store.Ref{Cluster: in.Cluster, Instance: e.Instance}
		if e.Instance != "" && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out
}

// showsEvidence: the chart has a line of a clause that holds there, or it is the
// latency of requests, which a stall is about.
func showsEvidence(def chartDef, in store.Incident, ref store.Ref) bool {
	for _, l := range def.lines {
		if ref == in.Ref() && l.signal == "latency.p50_ms" {
			return true
		}
		for _, e := range in.Evidence {
			if e.Signal == l.signal && e.Instance == ref.Instance && e.Verdict == store.Yes && e.Group != store.GroupNone {
				return true
			}
		}
	}
	return false
}
