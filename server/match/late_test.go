package match

import (
	"testing"
	"time"

	"stallbook/store"
)

// TestLateStallIsMatchedAtItsOwnTime is a stall of three seconds in readings of
// the disk that arrive 20 s late, with the vacuum pass read live: it opens at its
// own time, learnt 20 s later, and closes by the clock of the late readings.
func TestLateStallIsMatchedAtItsOwnTime(t *testing.T) {
	const late = 20
	r := newRig(t, library(t)...)
	for sec := range 300 {
		now := t0.Add(time.Duration(sec) * time.Second)
		r.w.Push(vacuumReading(sec, now))
		if sec >= late {
			r.w.Push(diskReading(sec-late, now.Add(-late*time.Second)))
		}
		r.m.Tick(now, now)
	}
	in := r.only()
	if in.Runbook != "autovacuum-stall" || in.Severity != store.Stall {
		t.Errorf("%s, %s", in.Runbook, in.Severity)
	}
	opened, learnt := in.OpenedAt.Sub(t0).Seconds(), in.LearntAt.Sub(t0).Seconds()
	// The second of two seconds in which requests and disk suffer at once.
	if opened != 201 || learnt != 201+late {
		t.Errorf("opened at %v s, learnt at %v s", opened, learnt)
	}
	if in.State != store.StateClosed || in.LastYes.Sub(in.OpenedAt) > 5*time.Second {
		t.Errorf("state %s, lasted %v", in.State, in.LastYes.Sub(in.OpenedAt))
	}
}

func vacuumReading(sec int, at time.Time) store.Batch {
	running, passes := store.MustLookup("pg.vacuum.running"), store.MustLookup("pg.vacuum.passes")
	b := store.Batch{Ref: primary, Source: "postgres", At: at, Elapsed: time.Second, Role: store.RolePrimary,
		Samples: []store.Sample{{Signal: running}, {Signal: passes}}}
	if sec >= 190 && sec < 201 {
		b.Samples = append(b.Samples, store.Sample{Signal: running, Label: "public.usage_events", N: 1})
	}
	if sec == 201 {
		b.Samples = append(b.Samples, store.Sample{Signal: passes, Label: "public.usage_events", N: 1})
	}
	return b
}

func diskReading(sec int, at time.Time) store.Batch {
	iops, kib, p50 := 200.0, 20000.0, 36.0
	if sec >= 200 && sec < 203 {
		iops, kib, p50 = 3000, 18000, 64
	}
	b := store.Batch{Ref: primary, Source: "enhanced", At: at, Elapsed: time.Second}
	for name, v := range map[string]float64{"disk.read_iops": 0, "disk.write_iops": iops, "disk.read_kib_s": 0,
		"disk.write_kib_s": kib, "latency.p50_ms": p50, "disk.iops_limit": 3000} {
		b.Samples = append(b.Samples, store.SampleOf(store.MustLookup(name), "", v, time.Second))
	}
	return b
}
