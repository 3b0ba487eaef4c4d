package latency

import (
	"math"
	"slices"
)

// buckets are a classic histogram's: how many requests took at most each bound,
// by bound, ascending; the last bound is +Inf.
type buckets struct {
	bounds []float64
	counts []float64 // cumulative
}

// add adds the requests of another series, whose bounds may differ after a
// deployment: a bound that one of them lacks is taken from its next lower one,
// which is the most that can be known.
func (b buckets) add(o buckets) buckets {
	bounds := slices.Concat(b.bounds, o.bounds)
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	sum := buckets{bounds, make([]float64, len(bounds))}
	for i, bound := range bounds {
		sum.counts[i] = b.upTo(bound) + o.upTo(bound)
	}
	return sum
}

// upTo is how many requests surely took at most bound.
func (b buckets) upTo(bound float64) float64 {
	n := 0.0
	for i, x := range b.bounds {
		if x <= bound {
			n = b.counts[i]
		}
	}
	return n
}

func (b buckets) total() float64 {
	if len(b.counts) == 0 {
		return 0
	}
	return b.counts[len(b.counts)-1]
}

// since is what came on top of an earlier reading of the same series; ok is
// false when a count fell: the process began anew.
func (b buckets) since(was buckets) (d buckets, ok bool) {
	d = buckets{b.bounds, make([]float64, len(b.counts))}
	for i := range b.counts {
		d.counts[i] = b.counts[i] - was.upTo(b.bounds[i])
		if d.counts[i] < 0 {
			return d, false
		}
	}
	return d, true
}

// quantile is the value below which the share q of the requests lies, taken as
// spread evenly within their bucket. Beyond the last finite bound nothing more
// is known than that bound. NaN when there was no request.
func (b buckets) quantile(q float64) float64 {
	rank := q * b.total()
	if rank <= 0 {
		return math.NaN()
	}
	low, below := 0.0, 0.0
	for i, high := range b.bounds {
		n := b.counts[i]
		if n >= rank && n > below {
			if math.IsInf(high, 1) {
				return low
			}
			return low + (high-low)*(rank-below)/(n-below)
		}
		low, below = max(high, 0), max(n, below)
	}
	return low
}
