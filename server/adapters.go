package server

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stallbook/server/match"
	"stallbook/server/runner"
	"stallbook/server/web"
	"stallbook/store"
	"stallbook/store/sqlite"
)

// judged gives the pages the matcher's view of now and of the past.
type judged struct {
	*match.Matcher
	past match.Past
}

func (j judged) DiagnosesAt(ctx context.Context, ref store.Ref, at time.Time) ([]store.Diagnosis, error) {
	return j.Matcher.DiagnosesAt(ctx, j.past, ref, at)
}

// incidents joins the ongoing ones, which the matcher holds also when the disk
// is full, with the closed ones of the history.
type incidents struct {
	matcher *match.Matcher
	db      *sqlite.DB
}

// Incidents lists the newest first.
func (s incidents) Incidents(ctx context.Context, f store.IncidentFilter) ([]store.Incident, error) {
	var list []store.Incident
	if f.State != store.StateClosed {
		for _, in := range s.matcher.Ongoing() {
			if selects(f, &in) {
				list = append(list, in)
			}
		}
	}
	if f.State != store.StateOpen {
		closed := f
		closed.State = store.StateClosed
		kept, err := s.db.Incidents(ctx, closed)
		if err != nil {
			return nil, err
		}
		list = append(list, kept...)
	}
	slices.SortStableFunc(list, func(a, b store.Incident) int {
		return cmp.Or(b.OpenedAt.Compare(a.OpenedAt), cmp.Compare(b.ID, a.ID))
	})
	if f.Limit > 0 && len(list) > f.Limit {
		list = list[:f.Limit]
	}
	return list, nil
}

func selects(f store.IncidentFilter, in *store.Incident) bool {
	return (f.Cluster == "" || f.Cluster == in.Cluster) &&
		(f.Instance == "" || f.Instance == in.Instance) &&
		(f.Runbook == "" || f.Runbook == in.Runbook) &&
		(f.From.IsZero() || !in.OpenedAt.Before(f.From)) &&
		(f.To.IsZero() || !in.OpenedAt.After(f.To))
}

// Incident returns one.
func (s incidents) Incident(ctx context.Context, id string) (store.Incident, error) {
	for _, in := range s.matcher.Ongoing() {
		if in.ID == id {
			return in, nil
		}
	}
	return s.db.Incident(ctx, id)
}

// steps runs a check and tells the pages.
type steps struct {
	runner *runner.Runner
	ran    func(store.StepRun)
}

// Run executes one check step.
func (s steps) Run(ctx context.Context, req web.RunRequest) (store.StepRun, error) {
	run, err := s.runner.Run(ctx, runner.Request(req))
	if err == nil {
		s.ran(run)
	}
	return run, err
}
