package signature

import (
	"math"
	"slices"
	"strings"

	"stallbook/store"
)

// observe takes the clause's statistic over its window; with labels, the label
// on which it comes nearest to holding.
func (c *clause) observe(in *store.Instance, now int64, out *observation) {
	list := in.All(c.signal)
	out.why = notMeasured
	for _, s := range list {
		if !c.counts(in, s.Label, now) {
			continue
		}
		v, sec, n := c.over1(s, now)
		if n == 0 {
			continue
		}
		if n < c.needs(s) {
			out.why = tooFew
			continue
		}
		if !out.hasValue || c.above && v > out.value || !c.above && v < out.value {
			out.value, out.sec, out.label = v, sec, s.Label
		}
		out.hasValue, out.why = true, known
	}
	if !out.hasValue && len(list) > 0 && out.why == notMeasured && c.recently(list, now) {
		out.why = tooFew
	}
}

// needs is how many readings the window must hold: no more than its source gives.
func (c *clause) needs(s *store.Series) int {
	if every := s.Cadence(); every > 1 {
		return max(1, min(c.points, int(c.over/every)))
	}
	return c.points
}

// labelAge is how old the reading may be that says what a label is.
const labelAge = 300

// counts reports whether a label is one that the clause is about. Where nobody
// measures what must be known of it, it is; where that is measured and this label
// is not among the readings, it is not.
func (c *clause) counts(in *store.Instance, label string, now int64) bool {
	if label == "" {
		return true
	}
	for _, prefix := range c.labelNot {
		if strings.HasPrefix(label, prefix) {
			return false
		}
	}
	if c.labelIs == nil || len(in.All(c.labelIs.signal)) == 0 {
		return true
	}
	s := in.Get(c.labelIs.signal, label)
	if s == nil {
		return false
	}
	p, ok := s.Last()
	return ok && p.V >= c.labelIs.above && now-p.At.Unix() < labelAge
}

// lastHeld is the last second at which a single reading is past the threshold. A
// statistic over the whole window holds until its end.
func (c *clause) lastHeld(in *store.Instance, now int64, out *observation) int64 {
	switch {
	case out.verdict != store.Yes:
		return 0
	case c.stat != statMax && c.stat != statMin && c.stat != statLast:
		return out.sec
	}
	s := in.Get(c.signal, out.label)
	for sec := now; s != nil && sec > now-c.over; sec-- {
		if v, ok := s.At(sec); ok && compare(v, out.threshold, c.above) == store.Yes {
			return sec
		}
	}
	return out.sec
}

// recently tells a signal that pauses from one that nobody measures.
func (c *clause) recently(list []*store.Series, now int64) bool {
	for _, s := range list {
		if p, ok := s.Last(); ok && now-p.At.Unix() < store.WindowSeconds {
			return true
		}
	}
	return false
}

// usualWindow is how many seconds fit on the stack; longer windows allocate.
const usualWindow = 96

// over1 is the statistic of one series: its value, its second, and how many
// seconds of the window had a value.
func (c *clause) over1(s *store.Series, now int64) (value float64, sec int64, n int) {
	if c.stat == statP50 || c.stat == statP90 {
		return c.quantile(s, now)
	}
	var buf [usualWindow]float64
	total, from := 0.0, now-c.over+1
	for i, v := range s.Values(buf[:0], from, now) {
		if math.IsNaN(v) {
			continue
		}
		t := from + int64(i)
		n++
		total += v
		if n == 1 || c.stat == statMax && v > value || c.stat == statMin && v < value || c.stat == statLast {
			value, sec = v, t
		}
		if c.stat == statAvg || c.stat == statSum {
			sec = t
		}
	}
	switch {
	case n == 0:
	case c.stat == statAvg:
		value = total / float64(n)
	case c.stat == statSum:
		value = total
	}
	return value, sec, n
}

func (c *clause) quantile(s *store.Series, now int64) (value float64, sec int64, n int) {
	var buf [usualWindow]float64
	vals, from := buf[:0], now-c.over+1
	for i, v := range s.Values(buf[:0], from, now) {
		if !math.IsNaN(v) {
			vals, sec = append(vals, v), from+int64(i) // never ahead of what is read
		}
	}
	if len(vals) == 0 {
		return 0, 0, 0
	}
	slices.Sort(vals)
	i := (len(vals) - 1) / 2
	if c.stat == statP90 {
		i = (len(vals) - 1) * 9 / 10
	}
	return vals[i], sec, len(vals)
}

// together looks, in forms that ask for it, for one second in which every
// clause of the form holds: a burst of many I/Os and, at another moment, small
// ones are not the burst of small I/Os that the form means.
func (s *Signature) together(in *store.Instance, now int64, out *Result) {
	for _, f := range s.forms {
		if !f.together || in == nil {
			continue
		}
		over := s.clauses[f.clauses[0]].over
		best, bestSec := -1, int64(0)
		for sec := now - over + 1; sec <= now; sec++ {
			if holds := s.holdAt(f, in, sec, out); holds > best {
				best, bestSec = holds, sec
			}
		}
		if best >= 0 {
			s.setAt(f, in, bestSec, out)
		}
	}
}

// holdAt counts the form's clauses that hold in one second; -1 when a value is missing.
func (s *Signature) holdAt(f form, in *store.Instance, sec int64, out *Result) int {
	holds := 0
	for _, i := range f.clauses {
		c, o := s.clauses[i], &out.seen[i]
		series := in.Get(c.signal, "")
		if series == nil || !o.hasThr {
			return -1
		}
		v, ok := series.At(sec)
		if !ok {
			return -1
		}
		if compare(v, o.threshold, c.above) == store.Yes {
			holds++
		}
	}
	return holds
}

func (s *Signature) setAt(f form, in *store.Instance, sec int64, out *Result) {
	for _, i := range f.clauses {
		c, o := s.clauses[i], &out.seen[i]
		o.value, _ = in.Get(c.signal, "").At(sec)
		o.sec = sec
		o.verdict = compare(o.value, o.threshold, c.above)
	}
}

// mergeEvents is how close two hits are one event.
const mergeEvents = 3

// count counts the clause's events in its window.
func (c *clause) count(in *store.Instance, now int64, out *observation) {
	e := c.events
	s := in.Get(e.signal, "")
	near := anySeries(in, e.near)
	if s == nil || len(near) == 0 {
		out.why = notMeasured
		return
	}
	limit, _, why := e.threshold.in(in, e.signal, true, now)
	if why != known {
		out.why = why
		return
	}
	unless := anySeries(in, e.unless)
	calm, why := e.steady.in(in, now)
	if why != known {
		out.why = why
		return
	}
	count, last, seen := 0, int64(-1), false
	// An event counts once nothing that rules it out can follow any more.
	settled := now - e.clear
	for sec := settled - c.over + 1; sec <= settled; sec++ {
		v, ok := s.At(sec)
		seen = seen || ok
		if !ok || v < limit || !passes(near, sec-e.within, sec+e.within) || passes(unless, sec-e.clear, sec+e.clear) || !calm.at(sec) {
			continue
		}
		if last < 0 || sec-last > mergeEvents {
			count++
		}
		last, out.sec = sec, sec
	}
	if !seen {
		out.why = tooFew
		return
	}
	if out.sec == 0 {
		out.sec = now
	}
	out.value, out.hasValue, out.why = float64(count), true, known
}

type seriesAbove struct {
	series *store.Series
	above  float64
}

func anySeries(in *store.Instance, list []condition) []seriesAbove {
	var out []seriesAbove
	for _, c := range list {
		for _, s := range in.All(c.signal) {
			out = append(out, seriesAbove{s, c.above})
		}
	}
	return out
}

// passes reports whether any of the series is at its value in the seconds from
// to to.
func passes(list []seriesAbove, from, to int64) bool {
	for _, l := range list {
		for sec := from; sec <= to; sec++ {
			if v, ok := l.series.At(sec); ok && v >= l.above {
				return true
			}
		}
	}
	return false
}

// calmness is a steady condition with its threshold worked out.
type calmness struct {
	series *store.Series
	limit  float64
	half   int64
}

func (s *steady) in(in *store.Instance, now int64) (calmness, reason) {
	if s == nil {
		return calmness{}, known
	}
	series := in.Get(s.signal, "")
	if series == nil {
		return calmness{}, notMeasured
	}
	limit, _, why := s.threshold.in(in, s.signal, false, now)
	return calmness{series, limit, s.half}, why
}

// at reports whether the median of the seconds around sec stays below the limit.
func (c calmness) at(sec int64) bool {
	if c.series == nil {
		return true
	}
	low, high := 0, 0
	for t := sec - c.half; t <= sec+c.half; t++ {
		if v, ok := c.series.At(t); ok && v <= c.limit {
			low++
		} else if ok {
			high++
		}
	}
	return low > high
}
