package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tally is what pg_stat_statements keeps of a list of times.
func tally(times []float64) (c StatementCounters) {
	for _, x := range times {
		c.Calls++
		c.Total += x
	}
	c.Mean = c.Total / float64(c.Calls)
	for _, x := range times {
		c.Stddev += (x - c.Mean) * (x - c.Mean)
	}
	c.Stddev = math.Sqrt(c.Stddev / float64(c.Calls))
	return c
}

func repeat(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }

func TestEstimate(t *testing.T) {
	a, b := StatementKey{User: 1, Query: 1}, StatementKey{User: 1, Query: 2}
	type view = map[StatementKey]StatementCounters
	quick := repeat(2, 100)
	for _, c := range []struct {
		name     string
		was, is  view
		ok       bool
		calls    int64
		p50, p99 float64
	}{
		{"first reading", nil, view{a: tally(quick)}, false, 0, math.NaN(), math.NaN()},
		{"nothing ran", view{a: tally(quick)}, view{a: tally(quick)}, true, 0, math.NaN(), math.NaN()},
		{"all the same", view{a: tally(quick)}, view{a: tally(repeat(2, 150))}, true, 50, 2, 2},
		{"slower than before", view{a: tally(quick)}, view{a: tally(append(repeat(2, 100), repeat(500, 50)...))}, true, 50, 500, 500},
		{"one call", view{a: tally(quick)}, view{a: tally(append(repeat(2, 100), 30))}, true, 1, 30, 30},
		{"reset", view{a: tally(quick)}, view{a: tally(repeat(2, 3))}, false, 0, math.NaN(), math.NaN()},
		{"one reset, one not", view{a: tally(quick), b: tally(quick)}, view{a: tally(repeat(2, 3)), b: tally(append(repeat(2, 100), 9))}, true, 1, 9, 9},
		{"came into view", view{a: tally(quick)}, view{a: tally(append(repeat(2, 100), 9)), b: tally(repeat(1000, 1e4))}, true, 1, 9, 9},
		{"two statements", view{a: tally(quick), b: tally(quick)},
			view{a: tally(append(repeat(2, 100), repeat(1, 90)...)), b: tally(append(repeat(2, 100), repeat(400, 10)...))}, true, 100, 1, 400},
	} {
		e, ok := Estimate(c.was, c.is)
		if ok != c.ok || e.Calls != c.calls || !near(e.P50, c.p50, 0.001) || !near(e.P99, c.p99, 0.001) {
			t.Errorf("%s: %+v, %v, want %d calls, %v and %v ms, %v", c.name, e, ok, c.calls, c.p50, c.p99, c.ok)
		}
	}
}

func near(got, want, share float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= share*want+1e-9
}

// Times that are log-normal, as those of statements mostly are, come back from
// their mean and deviation alone, also behind ten thousand calls of another kind.
func TestEstimateOfLogNormalTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, median, sigma float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = median * math.Exp(sigma*rng.NormFloat64())
		}
		return out
	}
	key := StatementKey{Query: 7}
	old := draw(10000, 3, 0.3)
	fresh := draw(20000, 40, 0.5)
	e, ok := Estimate(map[StatementKey]StatementCounters{key: tally(old)}, map[StatementKey]StatementCounters{key: tally(append(old, fresh...))})
	slices.Sort(fresh)
	p50, p99 := fresh[len(fresh)/2], fresh[len(fresh)*99/100]
	if !ok || !near(e.P50, p50, 0.03) || !near(e.P99, p99, 0.06) {
		t.Errorf("%+v, want p50 %v and p99 %v", e, p50, p99)
	}
}
