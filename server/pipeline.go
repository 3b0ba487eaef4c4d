package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"stallbook/runbooks"
	"stallbook/runbooks/signature"
	"stallbook/server/live"
	"stallbook/server/match"
	"stallbook/server/web"
	"stallbook/store"
	"stallbook/store/sqlite"
)

// tickPhase is when in each second the matcher judges: after the readings of
// that second, which poll takes in its first half.
const tickPhase = 700 * time.Millisecond

// refill is how much of the history fills the Window at the start.
const refill = 30 * time.Minute

// pipeline is the one way from a reading to a page.
type pipeline struct {
	window  *store.Window
	matcher *match.Matcher
	db      *sqlite.DB
	hub     *live.Hub
	library atomic.Pointer[runbooks.Library]
	rules   rules
	keeper  *keeper
	changed func(store.Incident) // tells the pages; set once they exist
	log     *slog.Logger
}

// rules is what a reload may change about judging.
type rules interface {
	Overrides(cluster string) map[string]map[string]float64
	Muted(cluster string, at time.Time) (why string, muted bool)
}

func newPipeline(db *sqlite.DB, lib *runbooks.Library, r rules, log *slog.Logger) *pipeline {
	p := &pipeline{db: db, hub: live.NewHub(), rules: r, log: log, changed: func(store.Incident) {}, keeper: newKeeper(db.SaveIncident, log)}
	p.library.Store(lib)
	p.window = store.NewWindow(match.Baselines(lib.Signatures()))
	p.matcher = match.New(match.Options{
		Window: p.window, Signatures: p.signatures, Titles: p.title,
		Overrides: r.Overrides, Muted: r.Muted,
		NextID: p.nextID,
		Keep:   p.keeper.put, Publish: p.publish,
	})
	return p
}

// take is the sink of every source. The Window comes first: a full disk must
// not blind the detector.
func (p *pipeline) take(b store.Batch) {
	changes := p.window.Push(b)
	if len(changes) > 0 {
		b.Events = append(b.Events[:len(b.Events):len(b.Events)], changes...)
	}
	p.db.Append(b)
}

func (p *pipeline) signatures() []*signature.Signature { return p.library.Load().Signatures() }

func (p *pipeline) title(slug string) string {
	if rb, ok := p.library.Load().Get(slug); ok {
		return rb.Title
	}
	return slug
}

func (p *pipeline) nextID() string {
	return p.db.NextIncidentID()
}

func (p *pipeline) publish(in store.Incident, what string) {
	p.log.Info("incident "+what, "id", in.ID, "instance", in.Ref().String(), "runbook", in.Runbook, "severity", string(in.Severity), "summary", in.Summary)
	p.changed(in)
}

// restore fills the Window from the history and takes over the incidents that
// were ongoing when the program stopped.
func (p *pipeline) restore(ctx context.Context, now time.Time) error {
	batches, err := p.db.Recent(ctx, now.Add(-refill), now, "")
	if err != nil {
		return fmt.Errorf("the last half hour of the history: %w", err)
	}
	for _, b := range batches {
		p.window.Push(b)
	}
	open, err := p.db.Incidents(ctx, store.IncidentFilter{State: store.StateOpen})
	if err != nil {
		return fmt.Errorf("open incidents of the history: %w", err)
	}
	p.matcher.Restore(open, now)
	return nil
}

// judge ticks once a second until ctx ends.
func (p *pipeline) judge(ctx context.Context, pages *web.Server) error {
	for {
		next := time.Now().Truncate(time.Second).Add(tickPhase)
		if !next.After(time.Now()) {
			next = next.Add(time.Second)
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		now := time.Now().UTC()
		p.matcher.Tick(now, now)
		pages.Tick(ctx)
	}
}

// suffers reports whether an incident is ongoing on an instance.
func (p *pipeline) suffers(ref store.Ref) bool {
	return slices.ContainsFunc(p.matcher.Ongoing(), func(in store.Incident) bool { return in.Ref() == ref })
}
