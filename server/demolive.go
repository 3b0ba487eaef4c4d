package server

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"stallbook/server/config"
	"stallbook/server/lab"
	"stallbook/server/web"
	"stallbook/store"
)

// DemoLive starts a real primary and a real synchronous standby in a temporary
// folder and polls them like any cluster. Everything is removed at the end.
func DemoLive(ctx context.Context, o DemoOptions) (err error) {
	l, err := listen(o.Listen) // first: servers that nobody can look at are in vain
	if err != nil {
		return err
	}
	defer l.Close()
	dir, err := os.MkdirTemp("", "stallbook-live-")
	if err != nil {
		return fmt.Errorf("a temporary folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	bin, err := newest()
	if err != nil {
		return err
	}
	if o.Starting != nil {
		o.Starting()
	}
	primary, err := lab.StartPrimary(ctx, lab.Options{Binaries: bin, Checksums: true})
	if err != nil {
		return err
	}
	defer primary.Close()
	standby, err := primary.AddStandby(ctx, "lab-2", nil)
	if err != nil {
		return err
	}
	if err := lab.MakeSync(ctx, primary, standby); err != nil {
		return err
	}
	traffic := lab.StartTraffic(ctx, primary, 4, 100*time.Millisecond)
	defer traffic.Stop()
	cfg := demoConfig(dir, o.Listen)
	cfg.Clusters = []config.Cluster{{Name: "lab", Instances: []config.Instance{
		{Name: "lab-1", Postgres: config.NewSecret(primary.DSN("postgres"), "lab-1"), Latency: config.Latency{Kind: config.LatencyProbe, ProbeEvery: 200 * time.Millisecond}},
		{Name: "lab-2", Postgres: config.NewSecret(standby.DSN("postgres"), "lab-2"), Latency: config.Latency{Kind: config.LatencyNone}},
	}}}
	return Serve(ctx, Options{
		Config: cfg, Version: o.Version, Mode: "demo --live", Log: o.Log, Ready: o.Ready, Listener: l,
		Demo: &stalls{primary: primary, standby: standby},
	})
}

// newest picks the newest PostgreSQL at hand that can be a primary with a
// standby and has everything the runbooks speak of.
func newest() (lab.Binaries, error) {
	found, err := lab.Find()
	if err != nil {
		return lab.Binaries{}, err
	}
	if len(found) == 0 {
		return lab.Binaries{}, fmt.Errorf("no PostgreSQL server binaries found: install Debian's postgresql package, run npm install, or set STALLBOOK_PG_BIN to a folder with postgres and initdb")
	}
	return slices.MaxFunc(found, func(a, b lab.Binaries) int { return a.Major - b.Major }), nil
}

// outageEnds is when the demo's outage heals by itself, should nobody press the
// button.
const outageEnds = 45 * time.Second

// stalls are the buttons of demo --live.
type stalls struct {
	primary, standby *lab.Server

	mu   sync.Mutex
	busy string
	heal func(context.Context) error
	end  *time.Timer
}

var _ web.DemoControl = (*stalls)(nil)

// Actions lists the buttons.
func (s *stalls) Actions() []web.DemoAction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []web.DemoAction{
		{ID: "outage", Title: "Stop the synchronous standby", Busy: s.busy != "",
			Says: "Pauses replay on lab-2 and ends its WAL receiver: commits on lab-1 wait. It heals by itself after " + outageEnds.String() + "."},
		{ID: "heal", Title: "Heal", Busy: s.heal == nil, Says: "Resumes replay on lab-2: it streams again and commits go on."},
		{ID: "insert-pass", Title: "Make an insert-triggered pass", Busy: s.busy != "",
			Says: "Inserts into a table that only grows until autovacuum visits it."},
	}
}

// Do presses one button.
func (s *stalls) Do(ctx context.Context, id string) error {
	switch id {
	case "outage":
		return s.outage(ctx)
	case "heal":
		return s.recover(ctx)
	case "insert-pass":
		if err := s.begin(id); err != nil {
			return err
		}
		go func() {
			defer s.done()
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			_ = lab.InsertPass(bounded, s.primary, 300_000) // what it did is seen on the page
		}()
		return nil
	}
	return &store.Problem{Code: "not_found", Message: fmt.Sprintf("The demo has no action %q.", id)}
}

func (s *stalls) begin(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy != "" {
		return &store.Problem{Code: "conflict", Message: "One stall at a time: " + s.busy + " is still under way."}
	}
	s.busy = what
	return nil
}

func (s *stalls) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = ""
}

func (s *stalls) outage(ctx context.Context) error {
	if err := s.begin("outage"); err != nil {
		return err
	}
	heal, err := lab.SyncOutage(context.WithoutCancel(ctx), s.primary, s.standby)
	if err != nil {
		s.done()
		return &store.Problem{Code: "unavailable", Message: "The outage could not be made on the demo's servers.", Cause: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heal = heal
	s.end = time.AfterFunc(outageEnds, func() { _ = s.recover(context.WithoutCancel(ctx)) })
	return nil
}

// recover ends the outage; a second call finds nothing to do.
func (s *stalls) recover(ctx context.Context) error {
	s.mu.Lock()
	heal := s.heal
	s.heal = nil
	if s.end != nil {
		s.end.Stop()
	}
	s.mu.Unlock()
	if heal == nil {
		return &store.Problem{Code: "conflict", Message: "There is no outage to heal."}
	}
	defer s.done()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := heal(bounded); err != nil {
		return &store.Problem{Code: "unavailable", Message: "Replay could not be resumed on the demo's standby.", Cause: err}
	}
	return nil
}
