package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stallbook/store"
)

const (
	// DefaultLead is how long before its onset a tape starts to play.
	DefaultLead = 30 * time.Second
	// calmEnough is how much calm before the onset makes it unnecessary to start
	// again from the very first line, where a freshly loaded server is noisy.
	calmEnough = 60 * time.Second
	// asleep is the lateness at which the machine must have been suspended: the
	// tape then goes on from where it is instead of playing hours at once.
	asleep = 10 * time.Second
)

// TapeOptions say how a recording becomes a live cluster.
type TapeOptions struct {
	Cluster   string            // its name in the demo; "" keeps the recorded one
	Instances map[string]string // recorded name to shown name; others stay
	Onset     time.Duration     // when the stall begins, after the first line
	Lead      time.Duration     // how long before the onset play starts; 0 = DefaultLead
}

// Tape plays one recording against the clock, for ever.
type Tape struct {
	batches []store.Batch
	cut     int // index of the first batch that is played; those before are history
	again   int // index from which it starts again
	gap     time.Duration
}

// NewTape prepares batches, which must ascend in time. It fails when there are
// none or when the onset lies outside of them.
func NewTape(batches []store.Batch, o TapeOptions) (*Tape, error) {
	if len(batches) == 0 {
		return nil, errors.New("a recording without lines can't be played")
	}
	first, last := batches[0].At, batches[len(batches)-1].At
	if o.Onset < 0 || o.Onset > last.Sub(first) {
		return nil, fmt.Errorf("the onset at %v lies outside of the recording, which takes %v", o.Onset, last.Sub(first))
	}
	t := &Tape{batches: make([]store.Batch, len(batches)), gap: usualGap(batches)}
	for i, b := range batches {
		t.batches[i] = rename(b, o)
	}
	// Half a gap early: recorded seconds are some nanoseconds long or short.
	start := first.Add(max(0, o.Onset-cmp.Or(o.Lead, DefaultLead)) - t.gap/2)
	t.cut = max(0, slices.IndexFunc(batches, func(b store.Batch) bool { return !b.At.Before(start) }))
	if o.Onset >= calmEnough {
		t.again = t.cut
	}
	return t, nil
}

func rename(b store.Batch, o TapeOptions) store.Batch {
	b.Cluster = cmp.Or(o.Cluster, b.Cluster)
	b.Instance = cmp.Or(o.Instances[b.Instance], b.Instance)
	b.Events = slices.Clone(b.Events)
	for i := range b.Events {
		b.Events[i].Ref = b.Ref
	}
	return b
}

// usualGap is the median time between two moments of the recording.
func usualGap(batches []store.Batch) time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(batches); i++ {
		if d := batches[i].At.Sub(batches[i-1].At); d > 0 {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) == 0 {
		return time.Second
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// Refs lists the instances of the tape in the order of their first lines.
func (t *Tape) Refs() []store.Ref {
	var refs []store.Ref
	for _, b := range t.batches {
		if !slices.Contains(refs, b.Ref) {
			refs = append(refs, b.Ref)
		}
	}
	return refs
}

// Start lays the tape so that it begins to play at now. history is what went
// before, ascending, all of it in the past; play emits each later batch to sink
// when it is due, starts again at the end without a gap, and returns the error
// of ctx when that ends. Call play once.
func (t *Tape) Start(now time.Time) (history []store.Batch, play func(ctx context.Context, sink func(store.Batch)) error) {
	shift := halfSecond(t.batches[t.cut].At, now.Sub(t.batches[t.cut].At))
	report := newReporter()
	for _, b := range t.batches[:t.cut] {
		history = append(history, report.add(moved(b, shift)))
	}
	return history, func(ctx context.Context, sink func(store.Batch)) error {
		return t.play(ctx, shift, report, sink)
	}
}

// halfSecond lowers shift, by less than a second, so that readings fall in the
// middle of their seconds: at an edge the jitter of the recording would put two
// into one second and none into the next.
func halfSecond(at time.Time, shift time.Duration) time.Duration {
	fraction := time.Duration(at.Add(shift).Nanosecond())
	back := fraction - time.Second/2
	if back < 0 {
		back += time.Second
	}
	return shift - back
}

func (t *Tape) play(ctx context.Context, shift time.Duration, report *reporter, sink func(store.Batch)) error {
	for i := t.cut; ; {
		due := t.batches[i].At.Add(shift)
		if late := time.Since(due); late > asleep {
			shift += late.Truncate(time.Second)
			due = t.batches[i].At.Add(shift)
		}
		if err := sleepUntil(ctx, due); err != nil {
			return err
		}
		sink(report.add(moved(t.batches[i], shift)))
		if i++; i == len(t.batches) {
			i = t.again
			shift = due.Add(t.gap).Sub(t.batches[i].At)
		}
	}
}

// moved returns b with its times shifted.
func moved(b store.Batch, shift time.Duration) store.Batch {
	b.At = b.At.Add(shift).Round(0).UTC()
	events := slices.Clone(b.Events)
	for i := range events {
		events[i].At = events[i].At.Add(shift)
	}
	b.Events = events
	return b
}
