// Package latency tells how long requests take, the best way an instance has: a
// histogram that the application exposes, an estimate from pg_stat_statements,
// or a tiny commit of our own. All three give the same signals under the same
// source name, and a fact that says which one it was.
package latency

import (
	"math"

	"stallbook/store"
)

// Name is the name of this source in batches.
const Name = "latency"

// fromFact is the fact that says where the figures come from.
const fromFact = "latency.from"

// quantiles appends the two percentiles, in ms. NaN is not known and left out.
func quantiles(b *store.Batch, p50, p99 float64) {
	for name, v := range map[string]float64{"latency.p50_ms": p50, "latency.p99_ms": p99} {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			b.Samples = append(b.Samples, store.SampleOf(store.MustLookup(name), "", v, 0))
		}
	}
}

// requests appends how many requests finished.
func requests(b *store.Batch, n float64) {
	b.Samples = append(b.Samples, store.Sample{Signal: store.MustLookup("latency.rate"), N: int64(math.Round(n))})
}
