package poll

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"stallbook/store"
)

// loop reads one source of one instance. All its fields belong to the goroutine
// of run; Collect runs in another one, of which there is never more than one.
type loop struct {
	key
	src     Source
	grid    grid
	sink    Sink
	log     *slog.Logger
	stats   *recorder
	cancel  context.CancelFunc
	ended   chan struct{}
	results chan result // of the Collect that runs; capacity 1, so that it never waits for us

	busy    bool
	begun   time.Time // of the Collect that runs
	skipped int       // ticks that passed while it ran
	lastOK  time.Time
	lastErr string
	retry   backoff
}

// result is what one Collect gave.
type result struct {
	readings []store.Batch // of a Many, each with its own time
	batch    store.Batch
	took     time.Duration
	untimed  bool // the source itself says how long it took
}

func (l *loop) run(ctx context.Context) {
	defer l.end()
	tick := l.grid.next(time.Now(), time.Time{})
	timer := time.NewTimer(time.Until(tick))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-l.results:
			l.finish(ctx, r)
		case <-timer.C:
			now := time.Now()
			l.stats.add(now.Sub(tick))
			l.tick(ctx, tick)
			next := l.grid.next(time.Now(), tick)
			l.stats.miss(int(next.Sub(tick)/l.grid.every) - 1)
			tick = next
			timer.Reset(time.Until(tick))
		}
	}
}

// end closes the source, after the Collect that may still run.
func (l *loop) end() {
	closer, ok := l.src.(io.Closer)
	switch {
	case !ok:
	case l.busy:
		go func() { // a source that ignores its context must not hold up Wait
			<-l.results
			closer.Close()
		}()
	default:
		closer.Close()
	}
}

// tick begins a reading, or says why there is none this time.
func (l *loop) tick(ctx context.Context, at time.Time) {
	at = at.UTC()
	switch {
	case l.busy:
		l.skipped++
		waited := at.Sub(l.begun)
		l.emit(store.Batch{At: at, Err: fmt.Sprintf("still waiting for the reading begun at %s, %.0f s ago",
			l.begun.Format("15:04:05"), waited.Seconds())}, waited, true)
	case at.Before(l.retry.at):
		l.emit(store.Batch{At: at, Err: fmt.Sprintf("%s; next try in %.0f s",
			l.lastErr, max(1, l.retry.at.Sub(at).Seconds()))}, 0, false)
	default:
		l.busy, l.begun, l.skipped = true, at, 0
		go l.collect(ctx, at)
	}
}

// collect calls the source with a deadline shorter than the tick.
func (l *loop) collect(ctx context.Context, at time.Time) {
	ctx, cancel := context.WithTimeout(ctx, l.grid.every*9/10)
	defer cancel()
	started := time.Now()
	var r result
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("source panicked", "instance", l.ref.String(), "source", l.source, "panic", p, "stack", string(debug.Stack()))
			r = result{batch: store.Batch{Err: fmt.Sprintf("a defect in stallbook: reading %s panicked: %v", l.source, p)}}
		}
		r.took = time.Since(started)
		l.results <- r
	}()
	if many, ok := l.src.(Many); ok {
		r.untimed = true
		r.readings, r.batch = many.CollectMany(ctx, at)
		return
	}
	r.batch = l.src.Collect(ctx, at)
}

// finish takes the result of a reading. One that came after its tick had been
// reported as missing is dropped: history only goes forward. The readings of a
// Many are kept all the same, for each has its own time.
func (l *loop) finish(ctx context.Context, r result) {
	l.busy = false
	if ctx.Err() != nil {
		return // a reading that our own end cut off says nothing about the server
	}
	b := r.batch
	if b.At.IsZero() {
		b.At = l.begun
	}
	l.lastErr = b.Err
	if b.Err == "" {
		l.retry = backoff{}
	} else if c, ok := l.src.(Connector); !ok || !c.Connected() {
		l.retry.failed(l.begun)
	} else {
		l.retry = backoff{}
	}
	for _, reading := range r.readings {
		l.pass(reading)
	}
	if l.skipped > 0 {
		return
	}
	if b.Err == "" {
		l.lastOK = cmp.Or(b.Newest, b.At)
	}
	l.emit(b, r.took, !r.untimed)
}
