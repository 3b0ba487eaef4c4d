package poll

import (
	"slices"
	"sync"
	"time"
)

// Stats says how punctual the ticks were. Lateness is the time between a tick's
// place on the grid and its begin, over the last ticks of all loops.
type Stats struct {
	Ticks    int64 // since the start
	Missed   int64 // ticks that never began because the machine was too busy or asleep
	P50, P99 time.Duration
	Max      time.Duration
}

// keptTicks is over how many ticks lateness is judged: a minute and more of 50
// instances with two sources each.
const keptTicks = 8192

// recorder collects lateness from all loops.
type recorder struct {
	mu     sync.Mutex
	ring   []time.Duration
	ticks  int64
	missed int64
}

func (r *recorder) add(late time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ring) < keptTicks {
		r.ring = append(r.ring, late)
	} else {
		r.ring[r.ticks%keptTicks] = late
	}
	r.ticks++
}

func (r *recorder) miss(n int) {
	if n <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed += int64(n)
}

func (r *recorder) stats() Stats {
	r.mu.Lock()
	sorted := slices.Clone(r.ring)
	s := Stats{Ticks: r.ticks, Missed: r.missed}
	r.mu.Unlock()
	if len(sorted) == 0 {
		return s
	}
	slices.Sort(sorted)
	last := len(sorted) - 1
	s.P50, s.P99, s.Max = sorted[last/2], sorted[last*99/100], sorted[last]
	return s
}
