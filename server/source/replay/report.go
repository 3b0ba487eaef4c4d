package replay

import (
	"slices"
	"time"

	"stallbook/store"
)

// reporter adds what every source says about itself: whether this reading
// succeeded and how old the last good one is. A recording has no polls, so it
// says nothing about their duration.
type reporter struct {
	ok, age store.SignalID
	lastOK  map[series]time.Time
}

type series struct {
	ref    store.Ref
	source string
}

func newReporter() *reporter {
	return &reporter{store.MustLookup("source.ok"), store.MustLookup("source.age_s"), map[series]time.Time{}}
}

// add returns b with the samples appended, unless it was recorded with them.
func (r *reporter) add(b store.Batch) store.Batch {
	if slices.ContainsFunc(b.Samples, func(s store.Sample) bool { return s.Signal == r.ok }) {
		return b
	}
	key := series{b.Ref, b.Source}
	ok := 0.0
	if b.Err == "" {
		ok = 1
		r.lastOK[key] = b.At
	}
	samples := append(slices.Clone(b.Samples), store.SampleOf(r.ok, b.Source, ok, b.Elapsed))
	if last, ever := r.lastOK[key]; ever {
		samples = append(samples, store.SampleOf(r.age, b.Source, b.At.Sub(last).Seconds(), b.Elapsed))
	}
	b.Samples = samples
	return b
}
