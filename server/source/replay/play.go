// Package replay plays recordings and exports of Enhanced Monitoring: in virtual
// time for the replay command, and against the clock, for ever, as the live
// clusters of the demo. It judges nothing and keeps nothing.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"stallbook/store"
)

// File is one recording to play, or one file of Enhanced Monitoring documents:
// one a line, or what the aws command exports.
type File struct {
	Name string // shown in errors and problems
	R    io.Reader
}

// Options say how to play.
type Options struct {
	// Speed is how many recorded seconds pass in one: 0 plays as fast as the
	// sink takes them.
	Speed float64
	// Problem learns what was wrong with a line; nil ignores it.
	Problem func(file string, p store.LineProblem)
}

// Play merges files in time order, equal times in the order of the files, and
// hands every batch to sink with its recorded time. It streams: a recording may
// be larger than memory (the readings of an export may not). It ends with the first error of a file, of sink or of
// ctx, or with nil; a file of which no line could be played is an error.
func Play(ctx context.Context, files []File, o Options, sink func(store.Batch) error) error {
	heads, stop := openHeads(files, o)
	defer stop()
	pace := pacer{speed: o.Speed}
	report := newReporter()
	for {
		next, err := earliest(heads)
		if err != nil || next == nil {
			return err
		}
		if err := pace.wait(ctx, next.batch.At); err != nil {
			return err
		}
		if err := sink(report.add(next.batch)); err != nil {
			return err
		}
		next.advance()
	}
}

// head is a file that is being read, with its next batch.
type head struct {
	pull  func() (store.Batch, error, bool)
	batch store.Batch
	err   error
	open  bool
}

func (h *head) advance() { h.batch, h.err, h.open = h.pull() }

func openHeads(files []File, o Options) (heads []*head, stop func()) {
	var stops []func()
	for _, f := range files {
		pull, stop := iter.Pull2(batches(f, o.Problem))
		h := &head{pull: pull}
		h.advance()
		heads, stops = append(heads, h), append(stops, stop)
	}
	return heads, func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// earliest returns the head whose batch comes next, or nil at the end of all.
func earliest(heads []*head) (*head, error) {
	var best *head
	for _, h := range heads {
		if h.err != nil {
			return nil, h.err
		}
		if h.open && (best == nil || h.batch.At.Before(best.batch.At)) {
			best = h
		}
	}
	return best, nil
}

var errStopped = errors.New("stopped")

// batches yields the batches of one file, then its error if it has one.
func batches(f File, problem func(string, store.LineProblem)) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		played := 0
		problems, err := readAny(f, func(_ int, b store.Batch) error {
			played++
			if !yield(b, nil) {
				return errStopped
			}
			return nil
		})
		if errors.Is(err, errStopped) {
			return
		}
		for _, p := range problems {
			if problem != nil {
				problem(f.Name, p)
			}
		}
		if err == nil && played == 0 {
			err = nothingPlayed(f.Name, problems)
		}
		if err != nil {
			yield(store.Batch{}, err)
		}
	}
}

func nothingPlayed(name string, problems []store.LineProblem) error {
	if len(problems) == 0 {
		return fmt.Errorf("%s is empty: a recording has one JSON object a line", name)
	}
	return fmt.Errorf("%s has no line that can be played; the first problem is on %s", name, problems[0])
}

// Read reads one recording whole.
func Read(f File) ([]store.Batch, []store.LineProblem, error) {
	var list []store.Batch
	problems, err := readAny(f, func(_ int, b store.Batch) error {
		list = append(list, b)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = nothingPlayed(f.Name, problems)
	}
	return list, problems, err
}

// pacer maps recorded time to the clock.
type pacer struct {
	speed  float64
	origin time.Time // recorded
	began  time.Time // by the clock
}

func (p *pacer) wait(ctx context.Context, at time.Time) error {
	if p.speed <= 0 {
		return ctx.Err()
	}
	if p.origin.IsZero() {
		p.origin, p.began = at, time.Now()
	}
	offset := time.Duration(float64(at.Sub(p.origin)) / p.speed)
	return sleepUntil(ctx, p.began.Add(offset))
}

// sleepUntil returns at t, or earlier with the error of ctx.
func sleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
