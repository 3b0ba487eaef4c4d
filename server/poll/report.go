package poll

import (
	"slices"
	"time"

	"stallbook/store"
)

// pass hands on one of several readings, which says nothing about the poll that
// brought it.
func (l *loop) pass(b store.Batch) {
	b.Ref, b.Source, b.At = l.ref, l.source, b.At.UTC()
	l.sink(b)
}

// emit completes a batch with what the source says about itself and hands it
// on. polled is false when the source was not asked this time: then there is no
// duration, which is unknown and not 0.
func (l *loop) emit(b store.Batch, took time.Duration, polled bool) {
	b.Ref, b.Source, b.At = l.ref, l.source, b.At.UTC()
	about := func(signal string, v float64) store.Sample {
		return store.SampleOf(store.MustLookup(signal), l.source, v, 0)
	}
	samples := slices.Grow(slices.Clip(b.Samples), 3)
	if b.Err == "" {
		samples = append(samples, about("source.ok", 1))
	} else {
		samples = append(samples, about("source.ok", 0))
	}
	if polled {
		samples = append(samples, about("source.poll_ms", float64(took)/float64(time.Millisecond)))
	}
	if !l.lastOK.IsZero() {
		samples = append(samples, about("source.age_s", max(0, b.At.Sub(l.lastOK).Seconds())))
	}
	b.Samples = samples
	l.sink(b)
}
