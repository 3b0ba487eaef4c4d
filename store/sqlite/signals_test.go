package sqlite

import (
	"math"
	"math/rand/v2"
)

// simSignals is how many signals one simulated instance gives each second.
const simSignals = 60

// simulated is one made-up server: counters with bursts, latencies that wander,
// sizes, gauges that hardly move, and a stall of a few seconds now and then. Its
// figures are the integers a careful source would store, so that bytes a sample
// and samples a second mean something. The mix is that of the design study.
type simulated struct {
	rnd         *rand.Rand
	phase       float64
	rate        [14]float64 // operations a second
	drift       [14]float64 // their slow log-walk
	latency     [12]float64 // log of ms
	bigShare    [8]float64  // share of 128 KiB I/Os
	steady      [10]float64
	queue       [6]float64
	size, xid   float64
	lag, lagS   float64
	pages, temp float64
	vacuuming   float64
	stall       int
	stallBy     float64
	tick        int
}

func newSimulated(seed uint64) *simulated {
	s := &simulated{rnd: rand.New(rand.NewPCG(seed, 77))}
	r := s.rnd
	s.phase = r.Float64() * 2 * math.Pi
	for i, base := range []float64{3, 12, 40, 80, 150, 300, 600, 1200, 2500, 5000, 9000, 20000, 200, 60} {
		s.rate[i] = base * math.Exp(0.5*r.NormFloat64())
	}
	for i := range s.latency {
		s.latency[i] = math.Log(0.15 + 2*r.Float64())
	}
	for i := range s.bigShare {
		s.bigShare[i] = 0.02 + 0.3*r.Float64()
	}
	for i := range s.steady {
		s.steady[i] = float64(r.IntN(1 << (2 + 2*i)))
	}
	for i := range s.queue {
		s.queue[i] = 0.5 + 6*r.Float64()
	}
	s.size, s.xid = math.Floor(r.Float64()*2e6), float64(r.IntN(2e8))
	return s
}

// poisson draws a count of mean m; large ones by the normal approximation.
func (s *simulated) poisson(m float64) float64 {
	switch {
	case m <= 0:
		return 0
	case m > 30:
		return math.Max(0, math.Round(m+math.Sqrt(m)*s.rnd.NormFloat64()))
	}
	limit, n := math.Exp(-m), 0.0
	for p := s.rnd.Float64(); p > limit; p *= s.rnd.Float64() {
		n++
	}
	return n
}

// next fills out with one second and returns how long that second took, in us.
func (s *simulated) next(out []int64) int64 {
	r := s.rnd
	s.tick++
	took := 1 + 0.0008*r.NormFloat64()
	slow, slower := s.stalling()
	day := 1 + 0.4*math.Sin(s.phase+float64(s.tick)*2*math.Pi/86400)
	k := 0
	put := func(v float64) {
		out[k] = int64(math.Round(v))
		k++
	}
	var ops [14]float64
	for i := range ops {
		s.drift[i] = 0.97*s.drift[i] + 0.05*r.NormFloat64()
		ops[i] = s.poisson(s.rate[i] * day * math.Exp(s.drift[i]) * slow * took)
		put(ops[i])
	}
	s.latencies(put, ops, slower)
	for i, share := range s.bigShare {
		n := ops[4+i]
		big := math.Min(n, s.poisson(n*share))
		put((n + 15*big) * 8192)
	}
	s.gauges(put, day, slow < 1)
	s.growing(put, ops[5], slower)
	s.bursty(put)
	return int64(took * 1e6)
}

func (s *simulated) stalling() (slow, slower float64) {
	if s.stall > 0 {
		s.stall--
	} else if s.rnd.IntN(600) == 0 {
		s.stall, s.stallBy = 1+s.rnd.IntN(6), 15+80*s.rnd.Float64()
	}
	if s.stall > 0 {
		return 0.08, s.stallBy
	}
	return 1, 1
}

// latencies: six percentiles in us, then six totals in us.
func (s *simulated) latencies(put func(float64), ops [14]float64, slower float64) {
	for i := range s.latency {
		l := &s.latency[i]
		*l += 0.02*s.rnd.NormFloat64() - 0.002*(*l+0.5)
		us := 1000 * slower * math.Exp(*l+0.15*s.rnd.NormFloat64())
		if i >= 6 {
			us *= ops[i-4]
		}
		put(us)
	}
}

func (s *simulated) gauges(put func(float64), day float64, stalled bool) {
	for i := range s.steady {
		if i < 6 && s.rnd.IntN(300<<i) == 0 {
			s.steady[i] = float64(s.rnd.IntN(1 << (2 + 2*i)))
		}
		put(s.steady[i])
	}
	for _, q := range s.queue {
		m := q * day
		if stalled {
			m = 3*q + 20
		}
		put(s.poisson(m))
	}
}

func (s *simulated) growing(put func(float64), xids, slower float64) {
	r := s.rnd
	s.size += s.poisson(0.8)
	s.xid += xids
	s.lag = math.Max(0, 0.7*s.lag+s.poisson(40)*8192*math.Exp(0.5*r.NormFloat64())-300000)
	s.lagS = 0.9*s.lagS + 0.01*math.Abs(r.NormFloat64())*slower
	put(s.size * 8192)
	put(s.xid)
	put(s.lag)
	put(s.lagS * 1000)
}

func (s *simulated) bursty(put func(float64)) {
	r := s.rnd
	if s.vacuuming == 0 && r.IntN(900) == 0 {
		s.vacuuming, s.pages = 1, 0
	}
	if s.vacuuming == 1 {
		if s.pages += s.poisson(250); s.pages > 60000 {
			s.vacuuming, s.pages = 0, 0
		}
	}
	if r.IntN(120) == 0 {
		s.temp = math.Round(r.ExpFloat64() * 1e6)
	} else if r.IntN(5) == 0 {
		s.temp = 0
	}
	checkpoint, deadlock := 0.0, 0.0
	if (s.tick+int(s.phase*50))%300 < 150 {
		checkpoint = s.poisson(120)
	}
	if r.IntN(400) == 0 {
		deadlock = 1
	}
	for _, v := range []float64{s.pages, s.temp, checkpoint, deadlock, s.vacuuming, s.poisson(0.05)} {
		put(v)
	}
}
