package store

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSeriesAgainstMap pushes readings of any cadence, late and repeated ones
// too, and compares every second with a map.
func TestSeriesAgainstMap(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &Series{}
		want := map[int64]float64{}
		sec, step := int64(1_000_000), 1+r.IntN(20)
		for range 400 {
			sec += int64(r.IntN(2*step) + 1)
			if r.IntN(100) == 0 {
				sec += WindowSeconds * int64(r.IntN(3))
			}
			at := sec
			if r.IntN(10) == 0 {
				at -= int64(r.IntN(2 * WindowSeconds))
			}
			v := r.Float64()
			if s.newest-at < WindowSeconds {
				want[at] = v
			}
			s.put(at, v)
		}
		from := s.newest - 2*WindowSeconds
		whole := s.Values(nil, from, s.newest+3)
		for q := from; q <= s.newest+3; q++ {
			if a, ok := s.At(q); ok != !math.IsNaN(whole[q-from]) || ok && a != whole[q-from] {
				t.Fatalf("seed %d: Values says %v, At %v %v", seed, whole[q-from], a, ok)
			}
			got, ok := s.At(q)
			v, has := want[q]
			has = has && s.newest-q < WindowSeconds
			if ok != has || ok && got != v {
				t.Fatalf("seed %d, step %d, %d s before the newest: %v %v, want %v %v", seed, step, s.newest-q, got, ok, v, has)
			}
		}
	}
}

func TestSlowSeriesStaySmall(t *testing.T) {
	slow, fast := &Series{}, &Series{}
	for sec := int64(1); sec < 5000; sec++ {
		fast.put(sec, 1)
		if sec%10 == 0 {
			slow.put(sec, 1)
		}
	}
	if slow.ring != nil || len(slow.sparse) > WindowSeconds/10+1 {
		t.Errorf("a reading every ten seconds holds a ring of %d and a list of %d", len(slow.ring), len(slow.sparse))
	}
	if fast.ring == nil || fast.sparse != nil {
		t.Error("readings of every second are held as a list")
	}
}
