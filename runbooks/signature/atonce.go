package signature

import "stallbook/store"

// atOnce judges the clauses that count the seconds in which others hold at once.
// A burst on the disk and, ten seconds later, a slow request are not one stall.
func (s *Signature) atOnce(in *store.Instance, now int64, o Options, out *Result) {
	for i, c := range s.clauses {
		if c.seconds == nil || in == nil {
			continue
		}
		seen := &out.seen[i]
		seen.instance = in.Ref.Instance
		t := c.threshold
		if v, ok := o.Overrides[c.id]; ok {
			seen.overridden, seen.set, seen.byDefault = true, v, t.value
			t = t.with(v)
		}
		seen.threshold, seen.hasThr = t.value, true
		s.countAtOnce(c, in, now, out, seen)
		if seen.hasValue {
			seen.verdict = compare(seen.value, seen.threshold, c.above)
			seen.held = seen.sec
		}
	}
}

func (s *Signature) countAtOnce(c *clause, in *store.Instance, now int64, out *Result, seen *observation) {
	t := c.seconds
	var all []int
	for _, i := range t.all {
		switch {
		case s.waived(i, &out.seen[i]):
		case !out.seen[i].hasThr || !out.seen[i].hasValue:
			seen.why = out.seen[i].why
			return
		default:
			all = append(all, i)
		}
	}
	slack := t.slack
	if len(all) == 0 {
		slack = 0 // nothing to be early or late for
	}
	degree, hasDegree := 0.0, false
	if t.degree != nil {
		v, _, why := t.degree.in(in, s.clauses[t.decisive].signal, true, now)
		degree, hasDegree = v, why == known
	}
	seen.hasValue, seen.sec = true, now
	for sec := now - c.over + 1; sec <= now; sec++ {
		if !s.allHold(in, all, sec, out) || !s.anyHolds(in, t.any, sec, slack, out) {
			continue
		}
		seen.value++
		seen.sec = sec
		if v, ok := s.readingAt(in, t.decisive, sec); ok && hasDegree && v >= degree {
			seen.value++
		}
	}
}

func (s *Signature) anyHolds(in *store.Instance, groups [][]int, sec, slack int64, out *Result) bool {
	for _, g := range groups {
		for at := sec - slack; at <= sec+slack; at++ {
			if s.allHold(in, g, at, out) {
				return true
			}
		}
	}
	return len(groups) == 0
}

// allHold reports whether each clause's own reading of a second is past its
// threshold.
func (s *Signature) allHold(in *store.Instance, list []int, sec int64, out *Result) bool {
	for _, i := range list {
		o := &out.seen[i]
		v, ok := s.readingAt(in, i, sec)
		if !ok || !o.hasThr || compare(v, o.threshold, s.clauses[i].above) != store.Yes {
			return false
		}
	}
	return true
}

func (s *Signature) readingAt(in *store.Instance, clause int, sec int64) (float64, bool) {
	if clause < 0 {
		return 0, false
	}
	series := in.Get(s.clauses[clause].signal, "")
	if series == nil {
		return 0, false
	}
	return series.At(sec)
}
