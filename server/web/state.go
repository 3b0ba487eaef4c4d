package web

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"stallbook/store"
)

// The states of an instance besides the severities of its incidents.
const (
	StateOK        = "ok"
	StateNoData    = "no data"
	StateHydrating = "hydrating"
)

// silence is how long an instance may say nothing before its last state is not
// shown as its present one, or three missed polls if that is longer.
const silence = 15 * time.Second

// InstanceState is what one instance is in right now.
type InstanceState struct {
	Word     string          // a store.Severity, or one of the State constants
	Incident *store.Incident // the worst open one; nil when none is open
	Age      time.Duration   // of the newest reading; meaningless when Never
	Never    bool            // no source has ever answered
	Why      string          // message of a failing source, when there is no data
	Progress *float64        // percent, while hydrating and reported
}

var (
	sigInitializing = store.MustLookup("rds.storage_initializing")
	sigProgress     = store.MustLookup("rds.storage_progress_pct")
)

// stateOf judges one instance: the worst open incident on it, else silence, else
// a volume that still loads, else ok. open may hold other instances' incidents.
func stateOf(in *store.Instance, open []store.Incident, now time.Time) InstanceState {
	st := InstanceState{Word: StateOK}
	quiet := st.hear(in.Sources(), now)
	for i := range open {
		if !open[i].Ongoing() || !concerns(&open[i], in.Ref) {
			continue
		}
		if st.Incident == nil || open[i].Severity.Rank() > st.Incident.Severity.Rank() {
			st.Incident = &open[i]
		}
	}
	switch {
	case st.Incident != nil:
		st.Word = string(st.Incident.Severity)
	case quiet:
		st.Word = StateNoData
	default:
		st.hydration(in, now)
	}
	return st
}

// concerns reports whether an incident is on an instance: its own, or one on
// which a runner-up matched. The primary whose commits wait for a pinned standby
// is not ok because the page is about the standby.
func concerns(in *store.Incident, ref store.Ref) bool {
	return in.Ref() == ref || in.Cluster == ref.Cluster && slices.ContainsFunc(in.Runners, func(r store.RunnerUp) bool {
		return r.Instance == ref.Instance
	})
}

// hear sets the age of the newest reading and reports whether every source has
// been silent for too long.
func (st *InstanceState) hear(sources []store.SourceStatus, now time.Time) (quiet bool) {
	st.Never, quiet = true, true
	for _, src := range sources {
		age, ok := src.Age(now)
		if ok && (st.Never || age < st.Age) {
			st.Age, st.Never = age, false
		}
		if ok && age <= max(silence, 3*src.Every) {
			quiet = false
		}
		// A source that borrows the connection of postgres only repeats its trouble.
		if src.Message != "" && (st.Why == "" || src.Source == "postgres") {
			st.Why = src.Source + ": " + src.Message
		}
	}
	return quiet
}

func (st *InstanceState) hydration(in *store.Instance, now time.Time) {
	p, ok := in.Last(sigInitializing, now, time.Minute)
	if !ok || p.V != 1 {
		return
	}
	st.Word = StateHydrating
	if p, ok := in.Last(sigProgress, now, time.Minute); ok {
		st.Progress = &p.V
	}
}

// openIncidents keeps the open incidents for one second: every page and every
// tick shows them, and they change with the ticks.
type openIncidents struct {
	mu   sync.Mutex
	at   time.Time
	list []store.Incident
}

func (o *openIncidents) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = nil
}

// openNow returns the open incidents, worst first, then newest. The slice is
// shared by its readers: do not change it.
func (s *Server) openNow(ctx context.Context) ([]store.Incident, error) {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	now := s.d.Now().Truncate(time.Second)
	if s.open.list != nil && s.open.at.Equal(now) {
		return s.open.list, nil
	}
	list, err := s.d.Incidents.Incidents(ctx, store.IncidentFilter{State: store.StateOpen})
	if err != nil {
		return nil, fmt.Errorf("open incidents: %w", err)
	}
	list = append([]store.Incident{}, list...)
	slices.SortStableFunc(list, func(a, b store.Incident) int { return b.Severity.Rank() - a.Severity.Rank() })
	s.open.at, s.open.list = now, list
	return list, nil
}
