package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"stallbook/server/config"
	"stallbook/server/poll"
	"stallbook/store"
)

// Record polls the configured clusters and writes what every source gives to out
// until ctx ends. It keeps no history and judges nothing.
func Record(ctx context.Context, cfg *config.Config, out io.Writer, log *slog.Logger) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &recorder{out: bufio.NewWriter(out), fail: cancel}
	var f *fleet
	group := poll.NewGroup(ctx, func(b store.Batch) {
		f.tell(b)
		w.take(b)
	}, log)
	f = newFleet(ctx, group, store.NewWindow(nil), w.take, log)
	if err := f.follow(cfg); err != nil {
		return err
	}
	f.discover(ctx) // until ctx ends, and with it the loops
	group.Wait()
	return w.close()
}

// recorder writes batches in the order in which they come, which is the order of
// their times up to the length of one poll; it keeps a second back to sort them.
type recorder struct {
	fail context.CancelCauseFunc

	mu      sync.Mutex
	out     *bufio.Writer
	pending []store.Batch
	err     error
}

func (r *recorder) take(b store.Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := len(r.pending)
	for i > 0 && r.pending[i-1].At.After(b.At) {
		i--
	}
	r.pending = append(r.pending, b)
	copy(r.pending[i+1:], r.pending[i:])
	r.pending[i] = b
	n := 0
	for n < len(r.pending) && b.At.Sub(r.pending[n].At) > keepBack {
		n++
	}
	r.flush(n)
}

const keepBack = 2 * everySecond

func (r *recorder) flush(n int) {
	if r.err != nil || n == 0 {
		return
	}
	if r.err = store.WriteRecording(r.out, r.pending[:n]); r.err != nil {
		r.fail(r.err)
	}
	r.pending = append(r.pending[:0], r.pending[n:]...)
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush(len(r.pending))
	if r.err == nil {
		r.err = r.out.Flush()
	}
	if r.err != nil {
		return fmt.Errorf("the recording could not be written: %w", r.err)
	}
	return nil
}
