package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBaselineAgainstSorting compares the histogram with the exact quantile of
// the same 30 minutes, on a walk with gaps, zeros and a stall.
func TestBaselineAgainstSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	b := NewBaseline()
	exact := map[int64]float64{}
	level := 3.0
	for sec := int64(1_000_000); sec < 1_000_000+3*baselineSeconds; sec++ {
		level *= math.Exp(0.02 * r.NormFloat64())
		if r.IntN(20) == 0 {
			continue // a gap
		}
		v := level * math.Exp(0.2*r.NormFloat64())
		if sec%700 < 20 {
			v *= 100
		}
		b.Push(sec, v)
		exact[sec] = v
		delete(exact, sec-baselineSeconds)
		if sec%97 != 0 || b.Seconds() < 60 {
			continue
		}
		var sorted []float64
		for s, v := range exact {
			if s > sec-baselineSeconds {
				sorted = append(sorted, v)
			}
		}
		slices.Sort(sorted)
		for _, q := range []float64{0.05, 0.5, 0.95} {
			want := sorted[int(q*float64(len(sorted)-1))]
			got, ok := b.Quantile(q)
			if !ok || math.Abs(got-want) > 0.07*want {
				t.Fatalf("second %d: quantile %v is %v, sorting says %v", sec, q, got, want)
			}
		}
	}
}

func TestBaselineUnknownAtFirst(t *testing.T) {
	b := NewBaseline()
	for sec := int64(100); sec < 159; sec++ {
		b.Push(sec, 5)
	}
	if _, ok := b.Median(); ok {
		t.Error("a baseline of 59 seconds must not be known")
	}
	b.Push(159, 5)
	if v, ok := b.Median(); !ok || math.Abs(v-5) > 0.2 {
		t.Errorf("median of sixty fives is %v, %v", v, ok)
	}
	if _, ok := (*Baseline)(nil).Median(); ok {
		t.Error("no baseline has a median")
	}
}

// A minute of noise after half an hour of calm moves the median by nothing
// that a threshold would notice.
func TestBaselineShrugsOffAMinute(t *testing.T) {
	b := NewBaseline()
	for sec := int64(0); sec < 1800; sec++ {
		v := 4.0
		if sec >= 1740 {
			v = 1500
		}
		b.Push(sec+1, v)
	}
	if v, _ := b.Median(); math.Abs(v-4) > 0.2 {
		t.Errorf("median is %v", v)
	}
}

func TestBaselineIgnoresLateAndForgetsOld(t *testing.T) {
	b := NewBaseline()
	for sec := int64(1); sec <= 100; sec++ {
		b.Push(sec, 1)
	}
	b.Push(50, 1000)
	if b.Seconds() != 100 {
		t.Errorf("a late value was added: %d", b.Seconds())
	}
	b.Push(100+baselineSeconds, 9)
	if b.Seconds() != 1 {
		t.Errorf("old values stayed: %d", b.Seconds())
	}
}

func BenchmarkBaseline(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	vals := make([]float64, 4096)
	for i := range vals {
		vals[i] = math.Exp(3 + r.NormFloat64())
	}
	base := NewBaseline()
	b.ReportAllocs()
	sec := int64(1)
	for b.Loop() {
		base.Push(sec, vals[sec&4095])
		base.Median()
		sec++
	}
}

// A source of 5 s is known after a minute, one of 60 s after ten readings.
func TestBaselineOfSlowSources(t *testing.T) {
	for every, after := range map[int64]int64{1: 60, 5: 61, 60: 541} {
		b := NewBaseline()
		for sec := int64(1000); ; sec += every {
			b.Push(sec, 4)
			if _, ok := b.Median(); ok {
				if sec-1000+1 > after {
					t.Errorf("every %d s: known after %d s, want %d", every, sec-1000+1, after)
				}
				break
			}
			if sec > 5000 {
				t.Fatalf("every %d s: never known", every)
			}
		}
	}
}
