package sqlite

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"stallbook/store"
)

// A Window filled from the history answers like the one that saw the batches.
func TestRecentFillsAWindowAlike(t *testing.T) {
	db, c := openNew(t, day)
	live := store.NewWindow([]store.SignalID{active})
	all := someBatches(5, day, 500)
	for i := range all {
		all[i].Facts = map[string]string{"pg.setting.fsync": "on"}
		all[i].Role = store.RolePrimary
		if all[i].At.After(at(300)) {
			all[i].Facts["pg.setting.fsync"] = "off"
		}
		all[i].Notes = []string{"no pg_monitor: GRANT pg_monitor TO stallbook"}
		live.Push(all[i])
		db.Append(all[i])
	}
	for _, stage := range []string{"memory", "sealed"} {
		flush(t, db)
		again := store.NewWindow([]store.SignalID{active})
		batches, err := db.Recent(t.Context(), day, at(500), "")
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range batches {
			if i > 0 && b.At.Before(batches[i-1].At) {
				t.Fatalf("%s: batch %d is older than the one before", stage, i)
			}
			again.Push(b)
		}
		if a, b := describe(live), describe(again); !reflect.DeepEqual(a, b) {
			for i := range a {
				if i >= len(b) || a[i] != b[i] {
					t.Fatalf("%s: live says %s, again %s", stage, a[i], b[min(i, len(b)-1)])
				}
			}
		}
		sealAll(t, db, c)
	}
}

func describe(w *store.Window) []string {
	var out []string
	w.Read(func(v store.View) {
		for _, r := range v.Refs() {
			in := v.Instance(r)
			fact, _ := in.Fact("pg.setting.fsync")
			out = append(out, fmt.Sprint(r, in.Role, in.RoleSince.UnixMilli(), fact.Value, fact.Since.UnixMilli(), in.Sources()[0].Notes, in.Sources()[0].OK))
			for id := range store.Signals() {
				for _, label := range []string{"", "public.t0", "public.t1", "public.t2", "public.big"} {
					s := in.Get(store.SignalID(id), label)
					if s == nil {
						continue
					}
					median, ok := s.Baseline.Median()
					out = append(out, fmt.Sprintf("%s %s %s %.2f %v", r, s.Signal.Name(), label, median, ok))
					for _, p := range s.Points(day, at(600)) {
						out = append(out, fmt.Sprintf("%s %s %s %d %.4f", r, s.Signal.Name(), label, p.At.Unix(), p.V))
					}
				}
			}
		}
	})
	return out
}

// A source that failed until the program stopped, and began to before what is
// asked for, is failing still after the restart, and its last answer is as old.
func TestRecentKnowsAFailingSource(t *testing.T) {
	db, c := openNew(t, day)
	up := store.Sample{Signal: signal("source.ok"), Label: "postgres", N: 1}
	down := up
	down.N = 0
	db.Append(batch("postgres", at(0), time.Second, gauge(active, 1), up))
	for sec := 1; sec < 120; sec++ {
		b := batch("postgres", at(sec), 0, down)
		b.Err = "connection refused"
		db.Append(b)
	}
	flush(t, db)
	path := db.path
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, c, store.Retention{})
	defer db.Close()
	status := func(from, to int) (s store.SourceStatus) {
		t.Helper()
		batches, err := db.Recent(t.Context(), at(from), at(to), "")
		if err != nil {
			t.Fatal(err)
		}
		w := store.NewWindow(nil)
		for _, b := range batches {
			w.Push(b)
		}
		w.Read(func(v store.View) { s = v.Instance(ref).Sources()[0] })
		return s
	}
	if s := status(0, 119); s.OK || !s.LastOK.Equal(at(0)) || !s.LastTry.Equal(at(119)) || s.Message != "connection refused" {
		t.Errorf("with its last answer: %+v", s)
	}
	if s := status(60, 119); s.OK || !s.LastOK.IsZero() || s.Message != "connection refused" {
		t.Errorf("without an answer in that time: %+v", s)
	}
}

// A past moment has the role and the facts of then, with the time they began.
func TestRecentKnowsWhatWasSaidThen(t *testing.T) {
	db, c := openNew(t, day)
	say := func(sec int, role store.Role, value, failure string) {
		b := batch("postgres", at(sec), time.Second, gauge(active, 1))
		b.Role, b.Err = role, failure
		if value != "" {
			b.Facts = map[string]string{"pg.setting.x": value}
		}
		if failure != "" {
			b.Samples = nil
		}
		db.Append(b)
	}
	say(0, store.RoleStandby, "a", "")
	say(100, store.RolePrimary, "b", "")
	say(150, "", "", "connection refused")
	say(200, store.RolePrimary, "c", "")
	other := batch("postgres", at(120), time.Second, gauge(active, 2))
	other.Ref = store.Ref{Cluster: "billing", Instance: "b"}
	db.Append(other)
	flush(t, db)
	path := db.path
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, c, store.Retention{})
	defer db.Close()
	for _, q := range []struct {
		from, to int
		role     store.Role
		since    int
		fact     string
		failing  bool
	}{{50, 60, store.RoleStandby, 0, "a", false}, {110, 160, store.RolePrimary, 100, "b", true}, {160, 170, store.RolePrimary, 100, "b", true}, {210, 220, store.RolePrimary, 100, "c", false}} {
		w := store.NewWindow(nil)
		batches, err := db.Recent(t.Context(), at(q.from), at(q.to), "orders")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			if b.Cluster != "orders" || b.At.After(at(q.to).Add(time.Second)) {
				t.Errorf("a batch of %s at %v was not asked for", b.Ref, b.At)
			}
			w.Push(b)
		}
		w.Read(func(v store.View) {
			in := v.Instance(ref)
			if in == nil {
				t.Fatalf("%d: no instance", q.from)
			}
			f, _ := in.Fact("pg.setting.x")
			failing := in.Sources()[0].Message != ""
			if in.Role != q.role || !in.RoleSince.Equal(at(q.since)) || f.Value != q.fact || failing != q.failing {
				t.Errorf("at %d: %s since %v, fact %+v, failing %v; want %+v", q.from, in.Role, in.RoleSince, f, failing, q)
			}
		})
	}
	if n := one(t, db.r, "SELECT count(*) FROM said WHERE kind = 'role'"); n != 2 {
		t.Errorf("%d rows for two roles: what did not change must not be kept", n)
	}
}
