package store

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	testRef = Ref{"orders", "orders-1"}
	testT0  = time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
)

func at(sec int) time.Time { return testT0.Add(time.Duration(sec) * time.Second) }

func push(w *Window, sec int, source string, vals map[string]float64) []Event {
	b := Batch{Ref: testRef, Source: source, At: at(sec), Elapsed: time.Second}
	for name, v := range vals {
		id := MustLookup(name)
		b.Samples = append(b.Samples, SampleOf(id, "", v, b.Elapsed))
	}
	return w.Push(b)
}

func last(t *testing.T, w *Window, name string, now time.Time) (v float64, ok bool) {
	t.Helper()
	w.Read(func(view View) {
		p, found := view.Instance(testRef).Last(MustLookup(name), now, 3*time.Second)
		v, ok = p.V, found
	})
	return v, ok
}

func TestWindowDerives(t *testing.T) {
	w := NewWindow(nil)
	push(w, 0, "nodeexporter", map[string]float64{"disk.read_iops": 100, "disk.write_iops": 300, "disk.read_kib_s": 800, "disk.write_kib_s": 3200})
	for name, want := range map[string]float64{"disk.iops": 400, "disk.kib_s": 4000, "disk.io_kib": 10, "disk.read_io_kib": 8} {
		if v, ok := last(t, w, name, at(0)); !ok || v < want-0.01 || v > want+0.01 {
			t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
		}
	}
	push(w, 1, "nodeexporter", map[string]float64{"disk.read_iops": 0, "disk.write_iops": 0, "disk.read_kib_s": 0, "disk.write_kib_s": 0})
	if v, _ := last(t, w, "disk.iops", at(1)); v != 0 {
		t.Errorf("no I/O is %v I/Os", v)
	}
	w.Read(func(view View) {
		if p, ok := view.Instance(testRef).Get(MustLookup("disk.io_kib"), "").At(at(1).Unix()); ok {
			t.Errorf("the mean size of no I/O is unknown, not %v", p)
		}
	})
}

func TestWindowWitness(t *testing.T) {
	w := NewWindow(nil)
	running, passes := MustLookup("pg.vacuum.running"), MustLookup("pg.vacuum.passes")
	b := func(sec int, s ...Sample) {
		w.Push(Batch{Ref: testRef, Source: "postgres", At: at(sec), Elapsed: time.Second, Samples: s})
	}
	none := []Sample{{Signal: running}, {Signal: passes}}
	b(0, none...)
	b(1, append(slices.Clone(none), Sample{running, "public.t", 1})...)
	b(2, append(slices.Clone(none), Sample{passes, "public.t", 1})...)
	b(3, none...)
	w.Read(func(view View) {
		in := view.Instance(testRef)
		known := in.Get(MustLookup("pg.vacuum.witness"), "")
		table := in.Get(MustLookup("pg.vacuum.witness"), "public.t")
		for sec, want := range []float64{0, 1, 1, 0} {
			if v, ok := known.At(at(sec).Unix()); !ok || v != 0 {
				t.Errorf("second %d: known-none is %v, %v", sec, v, ok)
			}
			v, ok := table.At(at(sec).Unix())
			if want == 1 && (!ok || v != 1) {
				t.Errorf("second %d: witness is %v, %v", sec, v, ok)
			}
			if want == 0 && ok && v != 0 {
				t.Errorf("second %d: witness is %v without a vacuum", sec, v)
			}
		}
	})
}

func TestWindowGapsAndLateValues(t *testing.T) {
	w := NewWindow(nil)
	push(w, 0, "postgres", map[string]float64{"pg.active": 1})
	push(w, 5, "postgres", map[string]float64{"pg.active": 5})
	push(w, 3, "postgres", map[string]float64{"pg.active": 3})
	w.Read(func(view View) {
		pts := view.Instance(testRef).Get(MustLookup("pg.active"), "").Points(at(-10), at(10))
		var got []float64
		for _, p := range pts {
			got = append(got, p.V)
		}
		if !slices.Equal(got, []float64{1, 3, 5}) {
			t.Errorf("points %v", got)
		}
	})
	push(w, WindowSeconds+5, "postgres", map[string]float64{"pg.active": 9})
	w.Read(func(view View) {
		if pts := view.Instance(testRef).Get(MustLookup("pg.active"), "").Points(at(-10), at(9999)); len(pts) != 1 {
			t.Errorf("old points stayed: %v", pts)
		}
	})
}

func TestWindowPrefersTheMoreTrustedSource(t *testing.T) {
	w := NewWindow(nil)
	push(w, 0, "cloudwatch", map[string]float64{"disk.queue": 1})
	push(w, 1, "nodeexporter", map[string]float64{"disk.queue": 2})
	push(w, 2, "cloudwatch", map[string]float64{"disk.queue": 3})
	if v, _ := last(t, w, "disk.queue", at(2)); v != 2 {
		t.Errorf("the less trusted source won: %v", v)
	}
	push(w, 8, "cloudwatch", map[string]float64{"disk.queue": 4})
	if v, _ := last(t, w, "disk.queue", at(8)); v != 4 {
		t.Errorf("nobody took over from the silent source: %v", v)
	}
}

func TestWindowRoleChangeStartsBaselinesAnew(t *testing.T) {
	id := MustLookup("latency.p50_ms")
	w := NewWindow([]SignalID{id})
	w.Push(Batch{Ref: testRef, Source: "postgres", At: at(0), Role: RoleStandby})
	for sec := range 100 {
		push(w, sec, "latency", map[string]float64{"latency.p50_ms": 4})
	}
	median := func() (ok bool) {
		w.Read(func(v View) { _, ok = v.Instance(testRef).Get(id, "").Baseline.Median() })
		return ok
	}
	if !median() {
		t.Fatal("no median after 100 s")
	}
	events := w.Push(Batch{Ref: testRef, Source: "postgres", At: at(100), Role: RolePrimary})
	if len(events) != 1 || events[0].Kind != "promotion" {
		t.Errorf("events %v", events)
	}
	if median() {
		t.Error("the baseline of the standby outlived its promotion")
	}
}

func TestWindowSaysWhichSettingChanged(t *testing.T) {
	w := NewWindow(nil)
	facts := func(sec int, v string) []Event {
		return w.Push(Batch{Ref: testRef, Source: "postgres", At: at(sec), Facts: map[string]string{"pg.setting.recovery_prefetch": v}})
	}
	if e := facts(0, "try"); len(e) != 0 {
		t.Errorf("a first reading is no change: %v", e)
	}
	if e := facts(1, "try"); len(e) != 0 {
		t.Errorf("no change: %v", e)
	}
	e := facts(2, "off")
	if len(e) != 1 || e[0].Kind != "setting" || !strings.Contains(e[0].Text, `recovery_prefetch: "try" is now "off"`) {
		t.Errorf("events %v", e)
	}
}

func TestWindowBoundsLabels(t *testing.T) {
	w := NewWindow(nil)
	id := MustLookup("pg.vacuum.running")
	for i := range 10 * labelLimit {
		w.Push(Batch{Ref: testRef, Source: "postgres", At: at(i / 50), Samples: []Sample{{id, strings.Repeat("t", i%500+1) + string(rune(i)), 1}}})
	}
	w.Read(func(v View) {
		if n := len(v.Instance(testRef).All(id)); n > labelLimit {
			t.Errorf("%d labels are held", n)
		}
	})
}

func TestFirstRateIsUnknown(t *testing.T) {
	s := SampleOf(MustLookup("pg.tps"), "", 100, time.Second)
	if _, ok := s.Value(0); ok {
		t.Error("a rate without an elapsed time has a value")
	}
	if v, ok := s.Value(2 * time.Second); !ok || v != 50 {
		t.Errorf("100 in 2 s is %v, %v", v, ok)
	}
}

// A source whose readings come late is as old as its newest reading, also when
// it was asked a moment ago.
func TestAgeOfALateSource(t *testing.T) {
	w := NewWindow(nil)
	at := time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
	ref := Ref{"c", "i"}
	w.Push(Batch{Ref: ref, Source: "enhanced", At: at, Newest: at.Add(-20 * time.Second)})
	w.Push(Batch{Ref: ref, Source: "enhanced", At: at.Add(-20 * time.Second), Samples: []Sample{{readIOPS, "", 5}}, Elapsed: time.Second})
	w.Read(func(v View) {
		s := v.Instance(ref).Sources()[0]
		if age, ok := s.Age(at.Add(3 * time.Second)); !ok || age != 23*time.Second || !s.LastTry.Equal(at) {
			t.Errorf("age %v, %v; last asked %v", age, ok, s.LastTry)
		}
	})
}

// A clock that jumped ahead and was set back must not blind the Window for as
// long as it was ahead.
func TestWindowAfterAClockSetBack(t *testing.T) {
	w := NewWindow(nil)
	for sec := range 30 {
		push(w, sec, "postgres", map[string]float64{"pg.active": 1})
	}
	push(w, 3630, "postgres", map[string]float64{"pg.active": 1})
	events := push(w, 31, "postgres", map[string]float64{"pg.active": 7})
	if len(events) != 1 || events[0].Kind != "clock" {
		t.Errorf("events %v", events)
	}
	if v, ok := last(t, w, "pg.active", at(31)); !ok || v != 7 {
		t.Errorf("after the clock was set back: %v, %v", v, ok)
	}
	w.Read(func(v View) {
		if s := v.Instance(testRef).Sources()[0]; !s.OK || !s.LastOK.Equal(at(31)) {
			t.Errorf("source %+v", s)
		}
	})
	if e := push(w, 40-WindowSeconds-5, "enhanced", map[string]float64{"disk.queue": 1}); len(e) != 0 {
		t.Errorf("late data was taken for a clock set back: %v", e)
	}
}

// The history gives back a failed reading as its signals: they say that it failed.
func TestFailedReadingFromTheHistoryIsNoAnswer(t *testing.T) {
	w := NewWindow(nil)
	w.Push(Batch{Ref: testRef, Source: "postgres", At: at(0), Err: "connection refused"})
	w.Push(Batch{Ref: testRef, Source: "postgres", At: at(1), Samples: []Sample{{MustLookup("source.ok"), "postgres", 0}}})
	w.Read(func(v View) {
		if s := v.Instance(testRef).Sources()[0]; s.OK || !s.LastOK.IsZero() || s.Message != "connection refused" {
			t.Errorf("source %+v", s)
		}
	})
	w.Push(Batch{Ref: testRef, Source: "postgres", At: at(2), Samples: []Sample{{MustLookup("source.ok"), "postgres", 1}}})
	w.Read(func(v View) {
		if s := v.Instance(testRef).Sources()[0]; !s.OK || s.Message != "" {
			t.Errorf("source %+v", s)
		}
	})
}

// A fact that is no setting, such as when the server started, is no change of one.
func TestOnlySettingsAreEvents(t *testing.T) {
	w := NewWindow(nil)
	for _, started := range []string{"05:57", "06:01"} {
		if e := w.Push(Batch{Ref: testRef, Source: "postgres", At: at(0), Facts: map[string]string{"pg.started_at": started}}); len(e) != 0 {
			t.Errorf("events %v", e)
		}
	}
}
