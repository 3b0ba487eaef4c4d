package sqlite

import (
	"time"

	"stallbook/store"
)

// buckets collects seconds or minutes, which come in order of time, into at most
// points buckets on a grid that does not move with the view.
type buckets struct {
	lo, hi  int64
	width   int64 // seconds
	grid    bool  // false: every value is its own bucket
	out     []store.Bucket
	lastsAt []int64 // the last value's second in each bucket
	firsts  []int64
}

func newBuckets(lo, hi, unit int64, points int) *buckets {
	b := &buckets{lo: lo, hi: hi, width: unit, grid: points > 0}
	if points == 1 {
		b.width = (hi - lo + unit) / unit * unit
		return b
	}
	if b.grid {
		b.width = max(unit, (hi-lo+int64(points))/int64(points))
		b.width = (b.width + unit - 1) / unit * unit
		for b.index(hi)-b.index(lo)+1 > int64(points) {
			b.width += unit
		}
	}
	return b
}

func (b *buckets) step() time.Duration { return time.Duration(b.width) * time.Second }

// index numbers the buckets of the grid. A single bucket begins where the
// stretch does.
func (b *buckets) index(sec int64) int64 {
	if b.width > b.hi-b.lo {
		return floorDiv(sec-b.lo, b.width)
	}
	return floorDiv(sec, b.width)
}

func (b *buckets) begin(index int64) int64 {
	if b.width > b.hi-b.lo {
		return b.lo
	}
	return max(b.lo, index*b.width)
}

func (b *buckets) start(sec int64) int64 {
	if !b.grid {
		return sec
	}
	return b.begin(b.index(sec))
}

func (b *buckets) add(sec int64, lo, hi float64) {
	at := b.start(sec) * 1000
	if n := len(b.out); n > 0 && b.out[n-1].AtMs == at {
		last := &b.out[n-1]
		last.Min, last.Max = min(last.Min, lo), max(last.Max, hi)
		b.lastsAt[n-1] = sec
		return
	}
	b.out = append(b.out, store.Bucket{AtMs: at, Min: lo, Max: hi})
	b.firsts, b.lastsAt = append(b.firsts, sec), append(b.lastsAt, sec)
}

// liveEdge is how far a stretch may end after its last value: what was read just
// now is on its way.
const liveEdge = 3

// finish puts in the gaps: between two values, and to the ends of the stretch,
// that are further apart than the series usually is.
func (b *buckets) finish(every int) []store.Bucket {
	var out []store.Bucket
	last := b.lo - 1
	for i, x := range b.out {
		if isGap(int(b.firsts[i]-last), every) {
			out = b.gap(out, last, b.firsts[i], every)
		}
		out = append(out, x)
		last = b.lastsAt[i]
	}
	if rest := int(b.hi + 1 - last); len(b.out) == 0 || isGap(rest, every) && rest > liveEdge {
		out = b.gap(out, last, b.hi+1, every)
	}
	return out
}

// gap appends what shows that nothing is known after one second until another.
func (b *buckets) gap(out []store.Bucket, after, until int64, every int) []store.Bucket {
	if !b.grid {
		at := max(b.lo, after+int64(every))
		if after < b.lo {
			at = b.lo
		}
		return append(out, store.Bucket{AtMs: at * 1000, Gap: true})
	}
	first, last := b.index(b.lo), b.index(b.hi)
	if after >= b.lo {
		first = b.index(after) + 1
	}
	if until <= b.hi {
		last = b.index(until) - 1
	}
	for i := first; i <= last; i++ {
		out = append(out, store.Bucket{AtMs: b.begin(i) * 1000, Gap: true})
	}
	return out
}
