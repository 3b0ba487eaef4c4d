package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"stallbook/store"
	"stallbook/views"
)

const (
	// before and after are how much of the instance's own events stand around an
	// incident.
	before = 5 * time.Minute
	after  = 5 * time.Minute
)

// timeline merges the incident's own events, what happened to the instances of
// its cluster and the steps that were run, newest first.
func (s *Server) timeline(ctx context.Context, in store.Incident) ([]views.Moment, error) {
	end := s.d.Now()
	if in.ClosedAt != nil {
		end = in.ClosedAt.Add(after)
	}
	events := slices.Clone(in.Timeline)
	for _, ref := range s.refs() {
		if ref.Cluster != in.Cluster {
			continue
		}
		list, err := s.d.History.Events(ctx, ref, in.OpenedAt.Add(-before), end)
		if err != nil {
			return nil, fmt.Errorf("events of %s: %w", ref, err)
		}
		for _, e := range list {
			// The incident's own are in its timeline already.
			if e.Incident != in.ID && e.Kind != "incident" && e.Kind != "run" {
				e.Ref = ref
				events = append(events, e)
			}
		}
	}
	runs, err := s.d.History.Runs(ctx, in.ID, store.Ref{}, 200)
	if err != nil {
		return nil, fmt.Errorf("runs of incident %s: %w", in.ID, err)
	}
	type moment struct {
		at time.Time
		views.Moment
	}
	var list []moment
	for _, e := range events {
		list = append(list, moment{e.At, views.Moment{Icon: eventIcon(e, in), Says: e.Text}})
	}
	for _, run := range runs {
		list = append(list, moment{run.At, views.Moment{Icon: string(run.Result), Says: s.stepTitle(run) + ": " + run.Says, Who: run.Who}})
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(b.at.UnixNano(), a.at.UnixNano()) })
	out := make([]views.Moment, len(list))
	for i, m := range list {
		m.At, m.Full = clock(m.at), m.at.UTC().Format("2006-01-02 15:04:05.000 UTC")
		out[i] = m.Moment
	}
	return out, nil
}

// eventIcon gives the shape of the severity to what made the incident worse, a
// ring to its end, and an arrow to what happened beside it.
func eventIcon(e store.Event, in store.Incident) string {
	switch {
	case e.Kind == "closed" && e.Incident == in.ID:
		return "ok"
	case e.Kind == "source":
		return "nodata"
	case e.Incident == in.ID && (e.Kind == "opened" || e.Kind == "worse"):
		return string(in.Severity)
	}
	return "arrow"
}

func (s *Server) stepTitle(run store.StepRun) string {
	if book, ok := s.d.Library().Get(run.Runbook); ok {
		if st, ok := book.Step(run.Step); ok {
			return st.Title
		}
	}
	return run.Step
}
