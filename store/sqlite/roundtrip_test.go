package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"stallbook/store"
)

// oracle keeps every value in a map: slow, obvious and right.
type oracle map[string]map[int64]float64

func (o oracle) saw(b store.Batch) {
	for _, s := range b.Samples {
		v, ok := s.Value(b.Elapsed)
		if !ok {
			continue
		}
		key := fmt.Sprint(b.Ref, s.Signal.Name(), s.Label)
		if o[key] == nil {
			o[key] = map[int64]float64{}
		}
		o[key][b.At.Unix()] = v
	}
}

// someBatches makes an hour of batches with everything that happens: holes,
// labels that come and go, first readings without an elapsed time, slow loops.
func someBatches(seed uint64, from time.Time, seconds int) []store.Batch {
	r := rand.New(rand.NewPCG(seed, 9))
	var out []store.Batch
	running := signal("pg.vacuum.running")
	refs := []store.Ref{ref, {Cluster: "orders", Instance: "orders-2"}, {Cluster: "billing", Instance: "b"}}
	total := int64(1000)
	for i := range seconds {
		at := from.Add(time.Duration(i) * time.Second).Add(time.Duration(r.IntN(900)) * time.Millisecond)
		for _, in := range refs {
			if r.IntN(40) == 0 {
				continue
			}
			elapsed := time.Second + time.Duration(r.IntN(2000)-1000)*time.Microsecond
			if r.IntN(100) == 0 {
				elapsed = 0
			}
			total += r.Int64N(100)
			b := store.Batch{Ref: in, Source: "postgres", At: at, Elapsed: elapsed, Samples: []store.Sample{
				gauge(active, r.Int64N(50)), gauge(tps, r.Int64N(3000)), gauge(signal("pg.replay_lag_kib"), total),
			}}
			if r.IntN(3) == 0 {
				b.Samples = append(b.Samples, store.Sample{Signal: running, Label: fmt.Sprint("public.t", r.IntN(4)), N: 1})
			} else {
				b.Samples = append(b.Samples, gauge(running, 0))
			}
			out = append(out, b)
			if i%10 == 3 {
				out = append(out, store.Batch{Ref: in, Source: "postgres", At: at.Add(50 * time.Millisecond), Elapsed: 10 * time.Second,
					Samples: []store.Sample{gauge(signal("pg.wal_kib_s"), r.Int64N(1e9)), {Signal: signal("pg.table.kib"), Label: "public.big", N: 1 << 40}}})
			}
		}
	}
	return out
}

func checkAgainst(t *testing.T, db *DB, o oracle, in store.Ref, name, label string, from, to time.Time) {
	t.Helper()
	step, got, err := db.Range(t.Context(), in, name, label, from, to, 0)
	if err != nil || step != time.Second {
		t.Fatalf("step %v, %v", step, err)
	}
	want := o[fmt.Sprint(in, name, label)]
	n := 0
	for sec := range want {
		if sec >= from.Unix() && sec <= to.Unix() {
			n++
		}
	}
	for _, b := range got {
		if b.Gap {
			continue
		}
		n--
		v, ok := want[b.AtMs/1000]
		if !ok || math.Abs(v-b.Min) > 1e-5*math.Abs(v) || b.Min != b.Max {
			t.Fatalf("%s %s %q at %d is %g..%g, want %g %v", in, name, label, b.AtMs, b.Min, b.Max, v, ok)
		}
	}
	if n != 0 {
		t.Fatalf("%s %s %q: %d seconds are missing", in, name, label, n)
	}
}

func checkAll(t *testing.T, db *DB, o oracle, from, to time.Time) {
	t.Helper()
	for _, in := range []store.Ref{ref, {Cluster: "orders", Instance: "orders-2"}, {Cluster: "billing", Instance: "b"}} {
		for _, n := range []string{"pg.active", "pg.tps", "pg.replay_lag_kib", "pg.wal_kib_s"} {
			checkAgainst(t, db, o, in, n, "", from, to)
		}
		checkAgainst(t, db, o, in, "pg.vacuum.running", "public.t2", from, to)
		checkAgainst(t, db, o, in, "pg.vacuum.running", "", from, to)
		checkAgainst(t, db, o, in, "pg.table.kib", "public.big", from, to)
	}
}

// Whatever stage the samples are in (memory, journal after a restart, sealed,
// both), each second comes back with its value.
func TestHistoryAgreesWithOracleInEveryStage(t *testing.T) {
	for seed := range uint64(3) {
		path := filepath.Join(t.TempDir(), "history.db")
		c := &fakeClock{now: day}
		db := openAt(t, path, c, store.Retention{})
		o := oracle{}
		const seconds = 2500
		end := day.Add(seconds * time.Second)
		for i, b := range someBatches(seed, day, seconds) {
			c.set(b.At)
			o.saw(b)
			db.Append(b)
			if i%97 == 0 {
				flush(t, db)
			}
			if i == 4000 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openAt(t, path, c, store.Retention{})
			}
		}
		flush(t, db)
		checkAll(t, db, o, day, end)
		checkAll(t, db, o, day.Add(123*time.Second), day.Add(1801*time.Second))
		if n := one(t, db.r, "SELECT count(*) FROM block"); n == 0 {
			t.Fatal("no block was sealed on the way")
		}
		sealAll(t, db, c)
		checkAll(t, db, o, day, end)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path, c, store.Retention{})
		checkAll(t, db, o, day, end)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
