package store

import "math"

// gaugeFactor is the span of a gauge to each side of its threshold.
const gaugeFactor = 8

func shortfall(e Evidence) float64 {
	switch {
	case e.Verdict == Yes:
		return 0
	case e.Verdict == Unknown:
		return 0.5
	case e.Observed == nil || e.Threshold == nil:
		return 0.5 // a fact is yes or no and sits at half way
	}
	low, high := *e.Observed, *e.Threshold
	if e.Compare == "≤" {
		low, high = high, low
	}
	if low <= 0 {
		return 1
	}
	return min(1, math.Log(high/low)/math.Log(gaugeFactor))
}
