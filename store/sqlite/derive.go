package sqlite

import (
	"cmp"
	"math"
	"slices"

	"stallbook/store"
)

// sourced is one source's values of a signal.
type sourced struct {
	source string
	v      seconds
}

// derived lists how every derived signal of the catalogue is computed, and
// derivedFrom the signals they need. Both are read only.
var (
	derived     = listDerived()
	derivedFrom = listInputs(derived)
)

func listDerived() []store.Derivation {
	var out []store.Derivation
	for i, s := range store.Signals() {
		if s.Kind != store.Derived {
			continue
		}
		if d, ok := store.DerivationOf(store.SignalID(i)); ok {
			out = append(out, d)
		}
	}
	return out
}

func listInputs(list []store.Derivation) map[store.SignalID]bool {
	out := map[store.SignalID]bool{}
	for _, d := range list {
		for _, id := range d.Inputs {
			out[id] = true
		}
	}
	return out
}

// derive computes a derived signal second by second. For a labelled one an input
// that is silent about the label counts as 0 in a second in which another input
// speaks of it, as the Window has it.
func derive(d store.Derivation, label string, in map[seriesName]seconds, n int) seconds {
	out := newSeconds(n)
	vals := make([]float64, len(d.Inputs))
	series := make([]seconds, len(d.Inputs))
	for i, id := range d.Inputs {
		series[i] = in[seriesName{id, label}]
		if series[i] == nil && label == "" {
			return out
		}
	}
	for sec := range out {
		known := 0
		for i, s := range series {
			vals[i] = 0
			if s != nil && !math.IsNaN(s[sec]) {
				vals[i] = s[sec]
				known++
			}
		}
		if known == 0 || label == "" && known < len(vals) {
			continue
		}
		if v, ok := d.Of(vals); ok {
			out[sec] = v
		}
	}
	return out
}

// mergeSources joins what several sources say of one signal: the most trusted
// one is taken, the others fill its gaps.
func mergeSources(id store.SignalID, list []sourced) seconds {
	sortByTrust(id, list, func(s sourced) string { return s.source })
	out := list[0].v
	for _, s := range list[1:] {
		out = fillGaps(out, s.v)
	}
	return out
}

// fillGaps takes values of b only where a is silent for longer than it usually
// is between two of its own values.
func fillGaps(a, b seconds) seconds {
	every := usualStep(a)
	if every == 0 {
		return b
	}
	out := slices.Clone(a)
	last := -1 << 30
	fill := func(from, to int) {
		if !isGap(to-from, every) {
			return
		}
		for i := max(0, from+1); i < min(to, len(a)); i++ {
			out[i] = b[i]
		}
	}
	for i, v := range a {
		if !math.IsNaN(v) {
			fill(last, i)
			last = i
		}
	}
	fill(last, len(a)+every)
	return out
}

// usualStep is the median number of seconds between two values, 0 when there
// are none and 1 when there is but one.
func usualStep(s seconds) int {
	var steps [3601]int
	last, n := -1, 0
	for i, v := range s {
		if math.IsNaN(v) {
			continue
		}
		if last >= 0 {
			steps[min(i-last, len(steps)-1)]++
			n++
		}
		last = i
	}
	if last < 0 {
		return 0
	}
	for step, seen := 1, 0; step < len(steps); step++ {
		if seen += steps[step]; n > 0 && 2*seen >= n {
			return step
		}
	}
	return 1
}

// isGap reports whether a distance between two values is more than one missed
// reading of a series that is read every so many seconds.
func isGap(distance, every int) bool { return 2*distance > 3*every }

// sortByTrust puts the sources of a signal in the catalogue's order.
func sortByTrust[T any](id store.SignalID, list []T, source func(T) string) {
	order := id.Info().Sources
	rank := func(t T) int {
		if i := slices.Index(order, source(t)); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(rank(a), rank(b)) })
}
