package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"stallbook/store"
)

// Late samples end up at their own second, in a sealed block too, and the
// minutes follow.
func TestLateSamplesFindTheirSecond(t *testing.T) {
	db, c := openNew(t, day)
	for i := range 1200 {
		if i%100 < 90 {
			db.Append(batch("postgres", day.Add(time.Duration(i)*time.Second), time.Second, gauge(active, int64(i)), gauge(tps, 60)))
		}
	}
	sealAll(t, db, c)
	before := one(t, db.r, "SELECT count(*) FROM block")
	for i := range 1200 {
		if i%100 >= 90 {
			db.Append(batch("postgres", day.Add(time.Duration(i)*time.Second), 2*time.Second, gauge(active, int64(i)), gauge(tps, 60)))
		}
	}
	check := func(stage string) {
		t.Helper()
		_, got := rangeOf(t, db, "pg.active", "", day, day.Add(1199*time.Second), 0)
		if len(got) != 1200 {
			t.Fatalf("%s: %d seconds, want 1200", stage, len(got))
		}
		for i, b := range got {
			if b.Min != float64(i) {
				t.Fatalf("%s: second %d is %+v", stage, i, b)
			}
		}
		_, rate := rangeOf(t, db, "pg.tps", "", day, day.Add(1199*time.Second), 0)
		if rate[89].Min != 60 || rate[90].Min != 30 {
			t.Errorf("%s: rates %v and %v, want 60 and, over two seconds, 30", stage, rate[89].Min, rate[90].Min)
		}
	}
	flush(t, db)
	check("in memory")
	sealAll(t, db, c)
	check("merged")
	if n := one(t, db.r, "SELECT count(*) FROM block"); n != before {
		t.Errorf("%d blocks, want the same %d as before", n, before)
	}
	_, mins := rangeOf(t, db, "pg.active", "", day, day.Add(25*time.Hour-time.Second), 1500)
	if mins[1].Min != 60 || mins[1].Max != 119 {
		t.Errorf("the roll-up of the second minute is %+v, want 60..119", mins[1])
	}
}

// A restart between sealing and trimming must not count events twice.
func TestRestartTakesJournalRowsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	c := &fakeClock{now: day}
	db := openAt(t, path, c, store.Retention{})
	passes := signal("pg.vacuum.passes")
	at := day.Add(100 * time.Second)
	for range 2 { // read twice within one second: both happened
		db.Append(batch("postgres", at, time.Second, store.Sample{Signal: passes, Label: "public.t", N: 1}))
		flush(t, db)
	}
	for range 3 {
		sealAll(t, db, c)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path, c, store.Retention{})
		_, got := rangeOf(t, db, "pg.vacuum.passes", "public.t", at, at, 0)
		if len(got) != 1 || got[0].Min != 2 {
			t.Fatalf("passes are %+v, want 2", got)
		}
		db.Append(batch("postgres", c.Now(), time.Second, gauge(active, 1)))
	}
	db.Close()
}

// A clock that jumps ahead must not keep the journal for ever.
func TestSamplesFromTheFutureAreSealed(t *testing.T) {
	db, c := openNew(t, day)
	db.Append(batch("postgres", day.Add(1000*time.Hour), time.Second, gauge(active, 5)))
	sealAll(t, db, c)
	_, got := rangeOf(t, db, "pg.active", "", day.Add(1000*time.Hour), day.Add(1000*time.Hour), 0)
	if len(got) != 1 || got[0].Min != 5 {
		t.Errorf("%+v", got)
	}
}

func TestSealedJournalIsDeleted(t *testing.T) {
	db, c := openNew(t, day)
	for i := range 4 * blockSeconds {
		at := day.Add(time.Duration(i) * time.Second)
		c.set(at)
		db.Append(batch("postgres", at, time.Second, gauge(active, int64(i))))
		if i%5 == 0 {
			flush(t, db)
		}
	}
	flush(t, db)
	rows, oldest := one(t, db.r, "SELECT count(*) FROM journal"), one(t, db.r, "SELECT min(id) FROM journal")
	if rows > (2*blockSeconds+sealSpread)/5+keyEvery || oldest < 100 {
		t.Errorf("%d journal rows from %d on are kept for %d seconds", rows, oldest, 4*blockSeconds)
	}
	if key := one(t, db.r, "SELECT keyframe FROM journal ORDER BY id LIMIT 1"); key != 1 {
		t.Error("the oldest journal row can't be read alone")
	}
}
