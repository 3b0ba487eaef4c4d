package latency

import "math"

// StatementKey names one entry of pg_stat_statements.
type StatementKey struct {
	User, Database int64
	Query          int64
	TopLevel       bool
}

// StatementCounters are the totals of one entry; times in ms.
type StatementCounters struct {
	Calls               int64
	Total, Mean, Stddev float64
}

// Estimated is what two readings of pg_stat_statements say about the calls
// between them.
type Estimated struct {
	Calls    int64
	P50, P99 float64 // ms; NaN when nothing finished
}

// Estimate takes the calls between two readings of the same server. The view
// has means and deviations only, so each statement's times are taken as
// log-normal, and the percentiles are those of the mixture. ok is false when no
// entry can be compared: the first reading, or a reset.
func Estimate(was, is map[StatementKey]StatementCounters) (e Estimated, ok bool) {
	var mix mixture
	for key, now := range is {
		before, known := was[key]
		if !known || now.Calls < before.Calls {
			continue // it came into view, or began anew: its calls may be older than the interval
		}
		ok = true
		if n := now.Calls - before.Calls; n > 0 {
			mix = append(mix, componentOf(before, now, float64(n)))
			e.Calls += n
		}
	}
	e.P50, e.P99 = mix.quantile(0.5), mix.quantile(0.99)
	return e, ok
}

// component is one statement's calls: a log-normal with its weight.
type component struct {
	weight    float64
	mu, sigma float64
}

// componentOf works out mean and deviation of the n calls between two readings
// from the running ones: sums of squares add up where deviations do not.
func componentOf(was, is StatementCounters, n float64) component {
	mean := math.Max((is.Total-was.Total)/n, 1e-6)
	c1, c2 := float64(was.Calls), float64(is.Calls)
	squares := c2*is.Stddev*is.Stddev - c1*was.Stddev*was.Stddev
	squares -= c1 * n / c2 * (was.Mean - mean) * (was.Mean - mean)
	variance := math.Max(squares/n, 0)
	if n == 1 {
		variance = 0
	}
	spread := math.Log1p(variance / (mean * mean))
	return component{n, math.Log(mean) - spread/2, math.Sqrt(spread)}
}

// mixture is all statements together.
type mixture []component

// below is the share of calls that took at most x ms.
func (m mixture) below(x float64) float64 {
	sum, total := 0.0, 0.0
	for _, c := range m {
		total += c.weight
		z := math.Log(x) - c.mu
		switch {
		case c.sigma > 1e-9:
			sum += c.weight * (1 + math.Erf(z/c.sigma/math.Sqrt2)) / 2
		case z >= -1e-9:
			sum += c.weight
		}
	}
	return sum / total
}

// quantile finds the time below which the share q of the calls lies, by halving
// between a nanosecond and a month; NaN for no calls.
func (m mixture) quantile(q float64) float64 {
	if len(m) == 0 {
		return math.NaN()
	}
	low, high := math.Log(1e-6), math.Log(3e9)
	for range 60 {
		mid := (low + high) / 2
		if m.below(math.Exp(mid)) < q {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(high)
}
