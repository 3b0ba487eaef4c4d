// Package poll decides when sources are read: one loop for each source of each
// instance, on a fixed grid, with a deadline shorter than the tick. A source
// that fails, hangs or panics delays no other. It judges and keeps nothing: a
// batch goes to the sink, also one that only says why there are no readings.
package poll

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"stallbook/store"
)

// Source reads one thing about one instance. A loop never calls it twice at a
// time.
type Source interface {
	// Collect reads once. now is the time of the tick; ctx ends before the next
	// one. A failure is Batch.Err, in words. Ref, Source and At may be left
	// empty; they are filled in.
	//
	// A source that is an io.Closer is closed when its loop has ended and no
	// Collect is left running.
	Collect(ctx context.Context, now time.Time) store.Batch
}

// Many is a Source one poll of which brings readings of several moments, each
// with its own time, some of them late. Its loop calls CollectMany in place of
// Collect.
type Many interface {
	Source
	// CollectMany reads once, as Collect. status says how the poll went, at its
	// own time, and by Newest how far the readings reach; source.poll_ms is for
	// the source to give, when it asked. readings ascend in time; they come
	// before status.
	CollectMany(ctx context.Context, now time.Time) (readings []store.Batch, status store.Batch)
}

// Connector is a Source that tells a failure to reach the other side from a
// failure to get an answer. Only the first is retried with backoff: to look away
// from a server because it is slow would be to miss the stall. A source that is
// no Connector backs off after every failure.
type Connector interface {
	// Connected is asked after a failed Collect.
	Connected() bool
}

// Together is a Source that shares its requests with others: those of one name
// tick at the same moment, so that one request serves all of them.
type Together interface {
	Together() string
}

// Sink takes every batch. It is called from many loops at once and must be
// quick: what it costs delays the loop that calls it.
type Sink func(store.Batch)

// Group is the set of running loops. Loops may be added and removed at any time.
type Group struct {
	ctx   context.Context
	sink  Sink
	log   *slog.Logger
	stats recorder

	mu    sync.Mutex
	loops map[key]*loop
	wg    sync.WaitGroup
}

type key struct {
	ref    store.Ref
	source string
}

// NewGroup returns a group whose loops run until ctx ends. log learns the stack
// of a source that panicked; nil discards it.
func NewGroup(ctx context.Context, sink Sink, log *slog.Logger) *Group {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Group{ctx: ctx, sink: sink, log: log, loops: map[key]*loop{}}
}

// Add starts to read a source of ref once every so often. It fails when that
// instance has a source of that name already.
func (g *Group) Add(ref store.Ref, source string, src Source, every time.Duration) error {
	if every <= 0 {
		return fmt.Errorf("%s of %s: %v is not an interval", source, ref, every)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	k := key{ref, source}
	if g.loops[k] != nil {
		return fmt.Errorf("%s has a source %q already", ref, source)
	}
	at := ref
	if t, ok := src.(Together); ok {
		at = store.Ref{Cluster: t.Together()}
	}
	ctx, cancel := context.WithCancel(g.ctx)
	l := &loop{
		key: k, src: src, grid: newGrid(at, every), sink: g.sink, log: g.log, stats: &g.stats,
		cancel: cancel, ended: make(chan struct{}), results: make(chan result, 1),
	}
	g.loops[k] = l
	g.wg.Go(func() {
		defer close(l.ended)
		l.run(ctx)
	})
	return nil
}

// Remove stops every loop of ref. When it returns no further batch of that
// instance comes. It must not be called from the sink.
func (g *Group) Remove(ref store.Ref) {
	g.remove(func(k key) bool { return k.ref == ref })
}

// RemoveSource stops one loop of ref, like Remove.
func (g *Group) RemoveSource(ref store.Ref, source string) {
	g.remove(func(k key) bool { return k == key{ref, source} })
}

func (g *Group) remove(match func(key) bool) {
	g.mu.Lock()
	var stopped []*loop
	for k, l := range g.loops {
		if match(k) {
			l.cancel()
			stopped = append(stopped, l)
			delete(g.loops, k)
		}
	}
	g.mu.Unlock()
	for _, l := range stopped {
		<-l.ended
	}
}

// Wait returns when every loop has ended, which is soon after the group's
// context ends, also when a source hangs.
func (g *Group) Wait() { g.wg.Wait() }

// Stats says how punctual the ticks of all loops were.
func (g *Group) Stats() Stats { return g.stats.stats() }
