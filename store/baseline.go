package store

import (
	"math"
	"time"
)

// Baseline is the distribution of one series over its last 30 minutes at one
// second: a ring of histogram buckets, 16 to an octave, so that an update and a
// quantile cost tens of nanoseconds and a value is off by 3.2 % at most
// (performance.md section 8). The zero value is not usable; see NewBaseline.
type Baseline struct {
	ring   [baselineSeconds]uint16 // bucket of each second, 0 = none
	counts [baselineBuckets]uint16
	octave [baselineOctaves]uint16 // sums of counts, to skip empty octaves
	total  int
	newest int64 // Unix second of the newest value, 0 = empty
	first  int64 // of the first value since it was empty
}

const (
	baselineSeconds = 1800
	// BaselineMin is how much time its data must span before a baseline is known.
	BaselineMin = 60 * time.Second
	// baselineReadings is how many readings it needs at least: a source of 60 s
	// gives no more than thirty to half an hour.
	baselineReadings = 10

	subBuckets      = 16
	baselineOctaves = 46 // the first holds zero and what is below 2^-10, the last what is above 2^34
	baselineBuckets = baselineOctaves * subBuckets
	lowestExponent  = 1023 - 10 // biased exponent of 2^-10, less than any figure we keep
)

// NewBaseline returns an empty baseline.
func NewBaseline() *Baseline { return new(Baseline) }

// Push adds the value of one second. A second that is older than the newest or
// that was pushed before replaces nothing and is ignored: late data is judged,
// but it does not define what is usual.
func (b *Baseline) Push(sec int64, v float64) {
	if math.IsNaN(v) || b.newest != 0 && sec <= b.newest {
		return
	}
	if b.newest == 0 || sec-b.newest >= baselineSeconds {
		b.clear()
		b.first = sec
	} else {
		for s := b.newest + 1; s <= sec; s++ {
			b.drop(int(s % baselineSeconds))
		}
	}
	b.newest = sec
	i := bucketOf(v)
	b.ring[sec%baselineSeconds] = uint16(i) + 1
	b.counts[i]++
	b.octave[i/subBuckets]++
	b.total++
}

func (b *Baseline) clear() { *b = Baseline{} }

func (b *Baseline) drop(slot int) {
	if b.ring[slot] == 0 {
		return
	}
	i := int(b.ring[slot]) - 1
	b.ring[slot] = 0
	b.counts[i]--
	b.octave[i/subBuckets]--
	b.total--
}

// Quantile returns the value below which the share q (0 to 1) of the seconds
// lies. ok is false until BaselineMin of data is there.
func (b *Baseline) Quantile(q float64) (v float64, ok bool) {
	if b == nil || b.total < baselineReadings || b.newest-b.first+1 < int64(BaselineMin/time.Second) {
		return 0, false
	}
	rank := q * float64(b.total-1)
	seen := 0.0
	for o, n := range b.octave {
		if seen+float64(n) <= rank {
			seen += float64(n)
			continue
		}
		for i := o * subBuckets; i < (o+1)*subBuckets; i++ {
			c := float64(b.counts[i])
			if seen+c > rank {
				lo, hi := bucketBounds(i)
				return lo + (hi-lo)*(rank-seen+0.5)/c, true
			}
			seen += c
		}
	}
	return 0, false
}

// Median is Quantile(0.5).
func (b *Baseline) Median() (float64, bool) { return b.Quantile(0.5) }

// Seconds is how many seconds of data the baseline holds.
func (b *Baseline) Seconds() int {
	if b == nil {
		return 0
	}
	return b.total
}

// bucketOf takes the exponent and the top four bits of the mantissa: linear
// steps within an octave, without a logarithm.
func bucketOf(v float64) int {
	if v <= 0 {
		return 0
	}
	bits := math.Float64bits(v)
	i := int(bits>>48) - lowestExponent*subBuckets + subBuckets
	return min(max(i, 1), baselineBuckets-1)
}

func bucketBounds(i int) (lo, hi float64) {
	if i == 0 {
		return 0, 0
	}
	edge := func(i int) float64 {
		return math.Float64frombits(uint64(i-subBuckets+lowestExponent*subBuckets) << 48)
	}
	return edge(i), edge(i + 1)
}
