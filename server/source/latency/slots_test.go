package latency

import (
	"fmt"
	"testing"
	"time"
)

func TestSlots(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1e9, 0).Add(time.Duration(ms) * time.Millisecond) }
	quick := func(s *slots, from, to int) {
		for ms := from; ms < to; ms += 200 {
			s.begin(at(ms))
			s.end(at(ms + 2))
		}
	}
	s := slots{every: 200 * time.Millisecond}
	if got := s.over(at(0)); len(got) != 0 {
		t.Errorf("before the first commit: %v", got)
	}
	quick(&s, 0, 1000)
	expect := func(now int, want string) {
		t.Helper()
		if got := fmt.Sprint(s.over(at(now))); got != want {
			t.Errorf("at %d ms: %s, want %s", now, got, want)
		}
	}
	expect(1000, "[2ms 2ms 2ms 2ms 2ms]")
	s.begin(at(1000))
	expect(1001, "[2ms 2ms 2ms 2ms 2ms]") // under way, and younger than any that returned
	s.end(at(1002))
	quick(&s, 1200, 1400)
	s.begin(at(1400)) // hangs until 4.5 s
	expect(2000, "[2ms 2ms 200ms 400ms 600ms]")
	expect(3000, "[200ms 400ms 600ms 800ms 1s 1.2s 1.4s 1.6s]") // all that were due are still waiting
	s.begin(at(3300))                                           // cut off and tried again: the wait goes on
	expect(4000, "[200ms 400ms 600ms 800ms 1s 1.2s 1.4s 1.6s 1.8s 2s 2.2s 2.4s 2.6s]")
	s.end(at(4500))
	quick(&s, 4600, 5000)
	expect(5000, "[2ms 2ms 100ms 300ms 500ms 700ms 900ms 1.1s 1.3s 1.5s 1.7s 1.9s 2.1s 2.3s 2.5s 2.7s 2.9s 3.1s]")
	expect(7000, "[]")
	s.begin(at(7000))
	s.cancel()
	expect(8000, "[]")
}

// While everything hangs the median rises with the hang, and an hour of it costs
// no more than a minute.
func TestMedianRisesWithTheHang(t *testing.T) {
	s := slots{every: 200 * time.Millisecond}
	start := time.Unix(1e9, 0)
	s.begin(start)
	for _, hang := range []time.Duration{10 * time.Second, 24 * time.Second, time.Hour} {
		got := s.over(start.Add(hang))
		if p50 := rank(got, 0.5); p50 < hang*45/100 || p50 > hang*55/100 || rank(got, 0.99) > hang {
			t.Errorf("hangs for %v: p50 %v, p99 %v", hang, p50, rank(got, 0.99))
		}
		if len(got) > mostWaits+1 {
			t.Errorf("%d waits", len(got))
		}
	}
}

func TestRank(t *testing.T) {
	sorted := []time.Duration{1, 2, 3, 4, 5}
	for q, want := range map[float64]time.Duration{0: 1, 0.2: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := rank(sorted, q); got != want {
			t.Errorf("rank %v = %v, want %v", q, got, want)
		}
	}
	if rank(sorted[:2], 0.5) != 1 || rank(sorted[:1], 0.99) != 1 {
		t.Error("rank of short lists")
	}
}
