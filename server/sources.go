package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stallbook/server/config"
	"stallbook/server/poll"
	"stallbook/server/source/nodeexporter"
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

	turn    sync.Mutex                    // held by whoever starts and stops loops
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
// did not change keeps its connection and what is usual there. After an error
// everything runs as before: what may fail comes before the first stop.
func (f *fleet) follow(cfg *config.Config) error {
	f.turn.Lock()
	defer f.turn.Unlock()
	herds, err := f.gather(cfg)
	if err != nil {
		return err
	}
	next, err := f.prepare(cfg)
	if err != nil {
		return err
	}
	f.herds = herds
	f.stopListed(next)
	wanted := f.wantedMembers()
	if len(cfg.Clusters) > 0 { // a demo has none: its instances come by themselves
		f.forgetStrangers(next, wanted)
	}
	f.stopMembers(wanted) // before the listed ones start: a cluster may have changed its kind
	return errors.Join(f.startListed(next), f.followMembers(wanted))
}

func (f *fleet) stopMembers(wanted map[store.Ref]*member) {
	for ref := range f.members {
		if wanted[ref] == nil {
			f.group.Remove(ref)
			delete(f.members, ref)
			f.forget(ref)
			f.window.Remove(ref)
		}
	}
}

// followMembers brings the loops in step with what was found. One instance that
// can't be started does not hold up the others.
func (f *fleet) followMembers(wanted map[store.Ref]*member) (err error) {
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

// stopListed stops the listed instances that are gone or changed.
func (f *fleet) stopListed(next map[store.Ref]*prepared) {
	for ref := range f.running {
		p, stays := next[ref]
		if stays && p == nil {
			continue
		}
		f.group.Remove(ref)
		delete(f.running, ref)
		f.forget(ref)
		if !stays {
			f.window.Remove(ref)
		}
	}
}

// startListed begins to read the listed instances that are new or changed.
func (f *fleet) startListed(next map[store.Ref]*prepared) (err error) {
	for ref, p := range next {
		if p == nil {
			continue
		}
		f.running[ref] = p.in
		if p.disk != nil {
			f.mu.Lock()
			f.disks[ref] = p.disk
			f.mu.Unlock()
		}
		f.forgetSources(ref, p.sources)
		err = errors.Join(err, f.addAll(ref, p.sources))
	}
	return err
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

// addAll starts the loops of one instance.
func (f *fleet) addAll(ref store.Ref, list []named) (err error) {
	for _, n := range list {
		err = errors.Join(err, f.add(ref, n.name, n.src, n.every))
	}
	return err
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
