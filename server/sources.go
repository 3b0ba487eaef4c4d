package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"stallbook/server/config"
	"stallbook/server/poll"
	"stallbook/server/source/latency"
	"stallbook/server/source/nodeexporter"
	"stallbook/server/source/postgres"
	"stallbook/server/source/rds"
	"stallbook/store"
)

// How often each kind of source is read.
const (
	everySecond = time.Second
	// statementsEvery is slow on purpose: pg_stat_statements is dearer than the
	// rest of a poll together, and its counters are means anyway.
	statementsEvery = 5 * time.Second
)

// fleet keeps the polled instances in step with the configuration and with what
// the RDS API lists.
type fleet struct {
	ctx    context.Context // of the program: for tokens made on behalf of a check
	group  *poll.Group
	window *store.Window
	sink   poll.Sink
	log    *slog.Logger
	places places
	// incident reports whether one is open on an instance; nil = nobody judges.
	incident func(store.Ref) bool

	turn    sync.Mutex // held by whoever starts and stops loops
	cfg     *config.Config
	running map[store.Ref]config.Instance // listed in the configuration
	herds   map[string]*herd              // found through the RDS API, by cluster
	members map[store.Ref]*member

	mu    sync.Mutex
	disks map[store.Ref]*nodeexporter.Source // that would like to know the data directory
	apis  map[store.Ref]*rds.Source          // that would like to know the burst credit
}

func newFleet(ctx context.Context, group *poll.Group, window *store.Window, sink poll.Sink, log *slog.Logger) *fleet {
	return &fleet{
		ctx: ctx, group: group, window: window, sink: sink, log: log,
		running: map[store.Ref]config.Instance{}, members: map[store.Ref]*member{},
		disks: map[store.Ref]*nodeexporter.Source{}, apis: map[store.Ref]*rds.Source{},
	}
}

// follow starts what is new or changed and stops what is gone. An instance that
// did not change keeps its connection and what is usual there.
func (f *fleet) follow(cfg *config.Config) error {
	f.turn.Lock()
	defer f.turn.Unlock()
	if err := f.gather(cfg); err != nil {
		return err
	}
	f.cfg = cfg
	return f.apply()
}

// apply brings the loops in step with what is listed and what was found. One
// instance that can't be started does not hold up the others.
func (f *fleet) apply() error {
	err := f.applyListed(f.cfg)
	wanted := f.wantedMembers()
	for ref := range f.members {
		if wanted[ref] == nil {
			f.group.Remove(ref)
			delete(f.members, ref)
			f.forget(ref)
			f.window.Remove(ref)
		}
	}
	for ref, m := range wanted {
		err = errors.Join(err, f.followMember(ref, m))
	}
	return err
}

func (f *fleet) forget(ref store.Ref) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.disks, ref)
	delete(f.apis, ref)
}

func (f *fleet) setAPI(ref store.Ref, src *rds.Source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apis[ref] = src
}

// applyListed follows the instances that the configuration lists.
func (f *fleet) applyListed(cfg *config.Config) error {
	wanted := map[store.Ref]config.Instance{}
	for _, c := range cfg.Clusters {
		for _, in := range c.Instances {
			wanted[store.Ref{Cluster: c.Name, Instance: in.Name}] = in
		}
	}
	for ref, old := range f.running {
		now, stays := wanted[ref]
		if stays && reflect.DeepEqual(old, now) {
			continue
		}
		f.group.Remove(ref)
		delete(f.running, ref)
		f.forget(ref)
		if !stays {
			f.window.Remove(ref)
			continue
		}
		for _, source := range []string{"nodeexporter", "latency", "cloudwatch"} { // those that remain are declared again
			f.window.RemoveSource(ref, source)
		}
	}
	for ref, in := range wanted {
		if _, runs := f.running[ref]; runs {
			continue
		}
		if err := f.start(ref, in); err != nil {
			return err
		}
		f.running[ref] = in
	}
	return nil
}

// start begins to read one instance.
func (f *fleet) start(ref store.Ref, in config.Instance) error {
	pg, err := postgres.New(postgres.Options{
		Ref: ref, DSN: in.Postgres.Reveal(), Databases: databases(in.Databases),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if err := f.add(ref, "postgres", pg, everySecond); err != nil {
		return err
	}
	if err := f.startDisk(ref, in); err != nil {
		return err
	}
	return f.startLatency(ref, in, pg)
}

func (f *fleet) startDisk(ref store.Ref, in config.Instance) error {
	if in.NodeExporter == nil {
		return nil
	}
	ne, err := nodeexporter.New(nodeexporter.Options{
		Ref: ref, URL: in.NodeExporter.URL.Reveal(), Device: in.NodeExporter.Device, DataDir: in.NodeExporter.DataDir,
		Limits: limits(in.Disk),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	f.mu.Lock()
	f.disks[ref] = ne
	f.mu.Unlock()
	return f.add(ref, "nodeexporter", ne, everySecond)
}

// dataDirectory is the fact by which the disk's source finds the right device.
const dataDirectory = "pg.setting.data_directory"

// tell passes on what one source of an instance learnt and another one needs.
func (f *fleet) tell(b store.Batch) {
	f.tellBalance(b)
	dir, ok := b.Facts[dataDirectory]
	if !ok {
		return
	}
	f.mu.Lock()
	disk := f.disks[b.Ref]
	f.mu.Unlock()
	if disk != nil {
		disk.SetDataDir(dir)
	}
}

func (f *fleet) startLatency(ref store.Ref, in config.Instance, pg *postgres.Source) error {
	switch l := in.Latency; l.Kind {
	case config.LatencyPrometheus:
		src, err := latency.NewHistogram(latency.HistogramOptions{
			URL: l.Prometheus.URL.Reveal(), Histogram: l.Prometheus.Histogram, Match: l.Prometheus.Match,
		})
		if err != nil {
			return fmt.Errorf("%s: latency: %w", ref, err)
		}
		return f.add(ref, "latency", src, everySecond)
	case config.LatencyCloudWatch:
		if f.members[ref] != nil {
			return nil // among its other metrics
		}
		return f.startMetricLatency(ref, l.CloudWatch)
	case config.LatencyProbe:
		src, err := latency.NewProbe(latency.ProbeOptions{DSN: in.Postgres.Reveal(), Every: l.ProbeEvery})
		if err != nil {
			return fmt.Errorf("%s: latency: %w", ref, err)
		}
		return f.add(ref, "latency", src, everySecond)
	case config.LatencyAuto, config.LatencyStatements:
		return f.add(ref, "latency", latency.NewStatements(pg), statementsEvery)
	}
	return nil
}

func (f *fleet) add(ref store.Ref, name string, src poll.Source, every time.Duration) error {
	f.window.Declare(ref, name, every)
	return f.group.Add(ref, name, src, every)
}

// allDatabases is how the postgres source spells every database of the server.
const allDatabases = "all"

func databases(d config.Databases) []string {
	if d.All {
		return []string{allDatabases}
	}
	return d.Names
}

// limits are what the operator knows of the volume; what is not given is unknown.
func limits(d config.Disk) []store.Sample {
	return nodeexporter.Limits(valueOr0(d.IOPSLimit), valueOr0(d.KiBSLimit))
}

func valueOr0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
