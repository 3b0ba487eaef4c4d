package match

import (
	"math"

	"stallbook/store"
)

// minWorse is the smallest change of score that is kept as a new worst moment:
// about 1 % of the values, so that noise at the top is not written each second.
const minWorse = 0.005

// score says how far past their thresholds the clauses of an incident are: the
// mean over those that hold of log8(observed/threshold).
func score(list []store.Evidence) float64 {
	sum, n := 0.0, 0
	for _, e := range list {
		if e.Group == store.GroupNone || e.Observed == nil || e.Threshold == nil {
			continue
		}
		n++
		high, low := *e.Observed, *e.Threshold
		if e.Compare == "≤" {
			high, low = low, high
		}
		if e.Verdict == store.Yes && low > 0 && high > low {
			sum += math.Log(high/low) / math.Log(8)
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
