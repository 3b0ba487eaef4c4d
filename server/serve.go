package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"stallbook/runbooks"
	"stallbook/server/config"
	"stallbook/server/poll"
	"stallbook/server/runner"
	"stallbook/server/web"
	"stallbook/store"
	"stallbook/store/sqlite"
)

// Options are what the command line adds to the configuration.
type Options struct {
	Config  *config.Config
	Listen  string // overrides Config.Listen when not empty
	Version string
	Mode    string // shown in the bar of a demo; "" for a service
	Log     *slog.Logger
	Ready   func(url string) // called when the address is open; may be nil
	// Listener is the address already open, which Serve closes; nil = Serve opens it.
	Listener net.Listener
	// Reload brings a new configuration each time the operator asks for one: the
	// function reads and checks the file. nil: no reload.
	Reload <-chan func() (*config.Config, error)
	// Feeds are sources that push, instead of being polled: the tapes of a demo.
	Feeds []Feed
	Demo  web.DemoControl
}

// Feed hands batches to sink until ctx ends. History is what went before.
type Feed struct {
	Refs    []store.Ref
	History []store.Batch
	Run     func(ctx context.Context, sink func(store.Batch)) error
}

// LoadLibrary reads the built-in runbooks and the user's folders.
func LoadLibrary(dirs []string) (*runbooks.Library, error) {
	var extra []runbooks.Dir
	for _, d := range dirs {
		if info, err := os.Stat(d); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("runbooks: %s is not a folder that can be read", d)
		}
		extra = append(extra, runbooks.Dir{Name: d, FS: os.DirFS(d)})
	}
	return runbooks.Load(runbooks.Builtin(), extra...)
}

// service is a running program.
type service struct {
	o        Options
	cfg      atomic.Pointer[config.Config]
	pipeline *pipeline
	fleet    *fleet
	pages    *web.Server
	cert     *certificate // nil without tls
}

// Overrides returns the cluster's thresholds.
func (s *service) Overrides(cluster string) map[string]map[string]float64 {
	if c := s.cfg.Load().Cluster(cluster); c != nil {
		return c.Thresholds
	}
	return nil
}

// Muted says whether a mute window covers the cluster.
func (s *service) Muted(cluster string, at time.Time) (string, bool) {
	return s.cfg.Load().Muted(cluster, at)
}

// Serve runs the service until ctx ends or a part fails for good. It closes what
// it opened in the opposite order.
func Serve(ctx context.Context, o Options) (err error) {
	lib, err := loadChecked(o.Config)
	if err != nil {
		return err
	}
	cert, err := newCertificate(o.Config.TLS)
	if err != nil {
		return err
	}
	l := o.Listener
	if l == nil {
		if l, err = listen(cmp.Or(o.Listen, o.Config.Listen)); err != nil {
			return err
		}
	}
	defer l.Close()
	db, err := sqlite.Open(ctx, o.Config.Database, sqlite.Options{Retention: o.Config.Retention, Log: o.Log, Clock: time.Now})
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer func() {
		if e := db.Close(); e != nil && err == nil {
			err = fmt.Errorf("history: %w", e)
		}
	}()
	s := &service{o: o, cert: cert}
	s.cfg.Store(o.Config)
	s.pipeline = newPipeline(db, lib, s, o.Log)
	if s.pages, err = s.newPages(db); err != nil {
		return err
	}
	s.pipeline.changed = s.pages.Changed
	if err := s.pipeline.restore(ctx, time.Now().UTC()); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	if err := s.startSources(ctx, g); err != nil {
		return err
	}
	g.Go(func() error { return s.pipeline.judge(ctx, s.pages) })
	g.Go(func() error { return s.pipeline.keeper.run(ctx) })
	g.Go(func() error { return serveHTTP(ctx, l, cert, s.pages.Handler(), o.Log) })
	g.Go(func() error { return s.reloads(ctx) })
	if o.Ready != nil {
		o.Ready(siteURL(l.Addr().String(), o.Config))
	}
	return g.Wait()
}

func loadChecked(cfg *config.Config) (*runbooks.Library, error) {
	lib, err := LoadLibrary(cfg.Runbooks)
	if err != nil {
		return nil, err
	}
	if problems := cfg.Check(clauseIDs(lib)); len(problems) > 0 {
		return nil, problems
	}
	return lib, nil
}

// clauseIDs lists, by runbook, the clauses whose threshold a cluster may override.
func clauseIDs(lib *runbooks.Library) map[string][]string {
	ids := map[string][]string{}
	for _, sig := range lib.Signatures() {
		ids[sig.Slug] = sig.Clauses()
	}
	return ids
}

func siteURL(address string, cfg *config.Config) string {
	scheme := "http"
	if cfg.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + address + cfg.BasePath + "/"
}

func (s *service) newPages(db *sqlite.DB) (*web.Server, error) {
	p, cfg := s.pipeline, s.o.Config
	inc := incidents{p.matcher, db}
	st := &steps{ran: func(store.StepRun) {}}
	st.runner = runner.New(runner.Options{
		Library: p.library.Load, DSN: s.dsn, Keeper: db, Now: time.Now,
	})
	pages, err := web.New(web.Deps{
		Window: p.window, Matcher: judged{p.matcher, db}, Incidents: inc, History: db, Library: p.library.Load,
		Runner: st, Hub: p.hub, Now: time.Now, Demo: s.o.Demo, Settings: s.settings,
		Site: web.Site{BasePath: cfg.BasePath, PublicURL: cfg.PublicURL, Hosts: cfg.Hosts(), Version: s.o.Version, Mode: s.o.Mode, Muted: s.Muted},
	})
	if err != nil {
		return nil, err
	}
	st.ran = pages.Ran
	return pages, nil
}

func (s *service) startSources(ctx context.Context, g *errgroup.Group) error {
	group := poll.NewGroup(ctx, func(b store.Batch) {
		s.fleet.tell(b)
		s.pipeline.take(b)
	}, s.o.Log)
	s.fleet = newFleet(ctx, group, s.pipeline.window, s.pipeline.take, s.o.Log)
	s.fleet.incident = s.pipeline.suffers
	if err := s.fleet.follow(s.o.Config); err != nil {
		return err
	}
	for _, f := range s.o.Feeds {
		for _, b := range f.History {
			s.pipeline.take(b)
		}
		g.Go(func() error {
			if err := f.Run(ctx, s.pipeline.take); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	g.Go(func() error {
		s.fleet.discover(ctx) // until ctx ends, and with it the loops
		group.Wait()
		return nil
	})
	return nil
}
