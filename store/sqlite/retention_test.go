package sqlite

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stallbook/store"
)

// tidyUp commits until retention has had its turn.
func tidyUp(t *testing.T, db *DB, turns int) {
	t.Helper()
	for range turns * tidyEvery {
		flush(t, db)
	}
}

// fillDays appends a value every ten seconds.
func fillDays(t *testing.T, db *DB, c *fakeClock, days int) {
	t.Helper()
	for i := range days * 8640 {
		now := day.Add(time.Duration(i) * 10 * time.Second)
		c.set(now)
		db.Append(batch("postgres", now, 10*time.Second, gauge(active, int64(i%6)), gauge(tps, 600)))
		if i%180 == 0 {
			flush(t, db)
		}
	}
	flush(t, db)
}

func TestRetentionByAge(t *testing.T) {
	c := &fakeClock{now: day}
	path := filepath.Join(t.TempDir(), "history.db")
	db := openAt(t, path, c, store.Retention{Raw: 24 * time.Hour, Rollup: 72 * time.Hour})
	defer func() { db.Close() }()
	fillDays(t, db, c, 3)
	sealAll(t, db, c)
	tidyUp(t, db, 4)
	now := c.Now()
	oldest := slotOf(one(t, db.r, "SELECT min(id) FROM block")) * blockSeconds
	if want := now.Add(-24 * time.Hour).Unix(); oldest > want+blockSeconds || oldest < want-blockSeconds {
		t.Errorf("the oldest block is of %v, raw data is kept from %v", time.Unix(oldest, 0).UTC(), now.Add(-24*time.Hour))
	}
	if n := one(t, db.r, "SELECT count(*) FROM rollup"); n != 2*2 {
		t.Errorf("%d folded days, want two finished days of two series", n)
	}
	step, mins := rangeOf(t, db, "pg.active", "", day, day.Add(12*time.Hour-time.Second), 0)
	if step != time.Minute || len(mins) != 720 || mins[0].Min != 0 || mins[0].Max != 5 {
		t.Errorf("the dropped seconds answer with %d minutes of %v, first %+v", len(mins), step, mins[0])
	}
	step, mins = rangeOf(t, db, "pg.tps", "", day, day.Add(72*time.Hour-time.Second), 0)
	if step != time.Minute || len(mins) != 3*1440 || mins[4000].Min != 60 {
		t.Errorf("three days are %d minutes of %v", len(mins), step)
	}
	db.Append(batch("postgres", day, time.Second, gauge(active, 99)))
	flush(t, db)
	if h := db.Health(); h.Dropped != 1 || !h.OK {
		t.Errorf("a sample older than what is kept: %+v, want one dropped", h)
	}
	c.set(day.Add(5*24*time.Hour + time.Hour))
	tidyUp(t, db, 10)
	if first := one(t, db.r, "SELECT min(id) FROM rollup") >> 32; first != day.Unix()/daySeconds+2 {
		t.Errorf("the oldest roll-up is of day %d, want the third", first)
	}
	if n := one(t, db.r, "SELECT count(*) FROM block"); n != 0 {
		t.Errorf("%d blocks are kept", n)
	}
}

func TestRetentionBySize(t *testing.T) {
	const limit = 3 << 20
	c := &fakeClock{now: day}
	path := filepath.Join(t.TempDir(), "history.db")
	db := openAt(t, path, c, store.Retention{MaxBytes: limit})
	defer db.Close()
	rnd := rand.New(rand.NewPCG(1, 1))
	worst := int64(0)
	for i := range 6 * 3600 {
		c.set(at(i))
		samples := make([]store.Sample, 60)
		for j := range samples {
			samples[j] = store.Sample{Signal: active, Label: labels[j], N: rnd.Int64N(1 << 20)}
		}
		db.Append(batch("postgres", at(i), time.Second, samples...))
		if i%60 == 0 {
			flush(t, db)
			worst = max(worst, db.Health().Bytes)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > limit {
		t.Errorf("the file has %d bytes, the cap is %d", info.Size(), limit)
	}
	if worst > limit*2 {
		t.Errorf("with its WAL the file once had %d bytes, the cap is %d", worst, limit)
	}
	first := slotOf(one(t, db.r, "SELECT min(id) FROM block")) * blockSeconds
	if first <= day.Unix() {
		t.Error("no old block was dropped")
	}
	last := slotOf(one(t, db.r, "SELECT max(id) FROM block")) * blockSeconds
	if last < at(6*3600-3*blockSeconds).Unix() {
		t.Error("new blocks were dropped instead of old ones")
	}
	if n := one(t, db.r, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); n != 0 {
		t.Errorf("integrity_check has %d complaints", n)
	}
}

// A cap that is lowered makes the file smaller at once.
func TestLoweredCapShrinksTheFile(t *testing.T) {
	f := newFleet(t, 6, 6)
	for range 60 {
		var all []store.Batch
		for range 60 {
			all = append(all, f.batches()...)
			f.tick++
		}
		f.tick--
		f.step(t, all)
	}
	sealAll(t, f.db, f.clock)
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}
	before := fileSize(t, f.path)
	f.db = openAt(t, f.path, f.clock, store.Retention{MaxBytes: before / 2})
	f.db.Append(f.batches()...)
	flush(t, f.db)
	if after := fileSize(t, f.path); after > before/2 {
		t.Errorf("the file had %d bytes and has %d, the cap is %d", before, after, before/2)
	}
}
