package web

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"stallbook/store"
)

// loadingBack is how far back the pace of loading is looked at.
const loadingBack = 12 * time.Hour

// loadingSays is how far a volume has loaded, how fast, and between which hours
// it may be done; "" when the API does not say that it loads. What the API does
// not report is said to be unknown: a percentage that is absent is not 100.
func (s *Server) loadingSays(ctx context.Context, ref store.Ref, now time.Time) string {
	loads := false
	var progress *float64
	s.d.Window.Read(func(v store.View) {
		in := v.Instance(ref)
		if in == nil {
			return
		}
		p, ok := in.Last(sigInitializing, now, time.Minute)
		loads = ok && p.V == 1
		if p, ok := in.Last(sigProgress, now, time.Minute); ok {
			progress = &p.V
		}
	})
	switch {
	case !loads:
		return ""
	case progress == nil:
		return "RDS says that the volume loads and reports no percentage, so when it is done is not known."
	}
	head := fmt.Sprintf("%s of the volume is loaded, as RDS reports it.", store.Quantity(*progress, "%"))
	_, buckets, err := s.d.History.Range(ctx, ref, "rds.storage_progress_pct", "", now.Add(-loadingBack), now, 360)
	if err != nil {
		return head + " The history can't be read, so its pace is not known."
	}
	pace, ok := paceOf(buckets)
	if still := standstill(buckets); still >= time.Hour {
		return fmt.Sprintf("%s It has not moved for %s.", head, coarse(still))
	}
	if !ok {
		return head + " It is too early to say how fast it goes."
	}
	low, high := pace.left(*progress)
	return fmt.Sprintf("%s It goes by %s an hour; at that pace %s more, an estimate: the pace follows what is read.", head, store.Quantity(pace.perHour, "%"), between(low, high))
}

// pace is how many percent a volume loads in an hour, between two bounds.
type pace struct{ perHour, slowest, fastest float64 }

// paceOf looks at the present run of loading: the part of the series since it
// last fell. The percentage is a whole number, so each end may be off by one; the
// last third of the run may be faster or slower than the whole.
func paceOf(buckets []store.Bucket) (pace, bool) {
	run := presentRun(buckets)
	if len(run) < 2 {
		return pace{}, false
	}
	first, last := run[0], run[len(run)-1]
	whole, ok := rateBetween(first, last)
	if !ok {
		return pace{}, false
	}
	p := whole
	if recent, ok := rateBetween(run[len(run)*2/3], last); ok {
		p.slowest, p.fastest = min(p.slowest, recent.slowest), max(p.fastest, recent.fastest)
	}
	return p, true
}

// standstill is how long the percentage has been what it is.
func standstill(buckets []store.Bucket) time.Duration {
	run := presentRun(buckets)
	if len(run) == 0 {
		return 0
	}
	last := run[len(run)-1]
	i := slices.IndexFunc(run, func(b store.Bucket) bool { return b.Max == last.Max })
	return time.Duration(last.AtMs-run[i].AtMs) * time.Millisecond
}

// presentRun drops gaps and what was before the last fall: another restore.
func presentRun(buckets []store.Bucket) []store.Bucket {
	var run []store.Bucket
	for _, b := range buckets {
		if b.Gap {
			continue
		}
		if n := len(run); n > 0 && b.Max < run[n-1].Max {
			run = run[:0]
		}
		run = append(run, b)
	}
	return run
}

// leastRise is the smallest rise from which a pace is told.
const leastRise = 2.0

func rateBetween(a, b store.Bucket) (pace, bool) {
	hours := float64(b.AtMs-a.AtMs) / float64(time.Hour.Milliseconds())
	rise := b.Max - a.Max
	if hours <= 0 || rise < leastRise {
		return pace{}, false
	}
	return pace{rise / hours, (rise - 1) / hours, (rise + 1) / hours}, true
}

// left is how long the rest takes at the fastest and at the slowest pace.
func (p pace) left(progress float64) (low, high time.Duration) {
	hours := func(perHour float64) time.Duration {
		return time.Duration(max(0, 100-progress) / perHour * float64(time.Hour))
	}
	return hours(p.fastest), hours(p.slowest)
}

// between words a range no finer than it is known.
func between(low, high time.Duration) string {
	unit, name := time.Minute, "min"
	if high >= 2*time.Hour {
		unit, name = time.Hour, "h"
	}
	from, to := int(low/unit), int(math.Ceil(float64(high)/float64(unit)))
	if from == to {
		return fmt.Sprintf("about %d %s", to, name)
	}
	return fmt.Sprintf("%d to %d %s", from, to, name)
}
