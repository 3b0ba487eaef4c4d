package sqlite

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"stallbook/store"
)

func at(sec int) time.Time { return day.Add(time.Duration(sec) * time.Second) }

// A reading without an elapsed time (statistics were reset) is a gap, no spike
// and no zero.
func TestCounterResetIsAGap(t *testing.T) {
	db, c := openNew(t, day)
	for i := range 20 {
		elapsed := time.Second
		if i == 10 {
			elapsed = 0
		}
		db.Append(batch("postgres", at(i), elapsed, gauge(tps, 100), gauge(active, 3)))
	}
	for _, stage := range []string{"in memory", "sealed"} {
		flush(t, db)
		_, got := rangeOf(t, db, "pg.tps", "", at(0), at(19), 0)
		gaps := 0
		for _, b := range got {
			if b.Gap {
				gaps++
				if b.AtMs != at(10).UnixMilli() {
					t.Errorf("%s: a gap at %d", stage, b.AtMs)
				}
			} else if b.Min != 100 {
				t.Errorf("%s: %+v, want 100", stage, b)
			}
		}
		if gaps != 1 || len(got) != 20 {
			t.Errorf("%s: %d buckets with %d gaps, want 20 with one", stage, len(got), gaps)
		}
		if _, all := rangeOf(t, db, "pg.active", "", at(0), at(19), 0); len(all) != 20 {
			t.Errorf("%s: the gauge has %d seconds, want 20", stage, len(all))
		}
		sealAll(t, db, c)
	}
}

// A signal that is read each ten seconds has no gaps between its readings.
func TestSlowSignalHasNoGaps(t *testing.T) {
	db, _ := openNew(t, day)
	for i := 0; i < 600; i += 10 {
		if i < 300 || i >= 360 {
			db.Append(batch("postgres", at(i+i/10%2), 10*time.Second, gauge(active, int64(i))))
		}
	}
	flush(t, db)
	for _, points := range []int{0, 300} {
		step, got := rangeOf(t, db, "pg.active", "", at(0), at(599), points)
		values, gaps := 0, 0
		for i, b := range got {
			if i > 0 && b.AtMs <= got[i-1].AtMs {
				t.Fatalf("buckets out of order at %d", i)
			}
			if !b.Gap {
				values++
				continue
			}
			gaps++
			if sec := b.AtMs/1000 - day.Unix(); sec < 290 || sec > 360 {
				t.Errorf("points %d: a gap at second %d", points, sec)
			}
		}
		if values != 54 || gaps == 0 {
			t.Errorf("points %d, step %v: %d values and %d gaps, want 54 and some", points, step, values, gaps)
		}
	}
}

func TestBucketsKeepMinimumAndMaximum(t *testing.T) {
	db, _ := openNew(t, day)
	for i := range 3600 {
		v := int64(10)
		switch i {
		case 1234:
			v = 900 // a stall of one second
		case 2000:
			v = 1
		}
		db.Append(batch("postgres", at(i), time.Second, gauge(active, v)))
	}
	flush(t, db)
	for _, points := range []int{1, 2, 7, 100, 999} {
		step, got := rangeOf(t, db, "pg.active", "", at(0), at(3599), points)
		if len(got) > points || len(got) == 0 {
			t.Fatalf("%d buckets of %v, at most %d were asked for", len(got), step, points)
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, b := range got {
			if b.Gap {
				t.Errorf("points %d: a gap at %d", points, b.AtMs)
			}
			lo, hi = min(lo, b.Min), max(hi, b.Max)
		}
		if lo != 1 || hi != 900 {
			t.Errorf("points %d: %g..%g, want 1..900", points, lo, hi)
		}
	}
	_, some := rangeOf(t, db, "pg.active", "", at(-600), at(4199), 80)
	if !some[0].Gap || !some[len(some)-1].Gap || some[len(some)/2].Gap {
		t.Error("what lies before and after the data is no gap, or the data is")
	}
}

func TestMoreTrustedSourceFirst(t *testing.T) {
	db, c := openNew(t, day)
	for i := range 300 {
		db.Append(batch("cloudwatch", at(i), time.Second, gauge(reads, 7)))
		if i < 100 || i >= 200 {
			db.Append(batch("nodeexporter", at(i), time.Second, gauge(reads, 500)))
		}
	}
	for range 2 {
		flush(t, db)
		_, got := rangeOf(t, db, "disk.read_iops", "", at(0), at(299), 0)
		if len(got) != 300 {
			t.Fatalf("%d seconds, want 300", len(got))
		}
		for i, b := range got {
			want := 500.0
			if i >= 100 && i < 200 {
				want = 7
			}
			if b.Min != want {
				t.Fatalf("second %d is %+v, want %g", i, b, want)
			}
		}
		sealAll(t, db, c)
	}
}

func TestDerivedSignals(t *testing.T) {
	db, c := openNew(t, day)
	running, passes := signal("pg.vacuum.running"), signal("pg.vacuum.passes")
	for i := range 600 {
		n := int64(10)
		if i == 50 {
			n = 0 // no I/O: no mean size
		}
		db.Append(batch("nodeexporter", at(i), time.Second, gauge(reads, n), gauge(writes, 0),
			gauge(readKiB, n*8192), gauge(signal("disk.write_kib_s"), 0)))
		if i < 100 {
			db.Append(batch("postgres", at(i), time.Second, store.Sample{Signal: running, Label: "public.t", N: 1}, gauge(passes, 0)))
		} else if i == 100 {
			db.Append(batch("postgres", at(i), time.Second, gauge(running, 0), store.Sample{Signal: passes, Label: "public.t", N: 1}))
		}
	}
	for range 2 {
		flush(t, db)
		_, size := rangeOf(t, db, "disk.io_kib", "", at(0), at(599), 0)
		if len(size) != 600 || !size[50].Gap || size[49].Min != 8 || size[51].Min != 8 {
			t.Errorf("%d seconds of I/O size; around the second without I/O: %+v", len(size), size[49:52])
		}
		_, iops := rangeOf(t, db, "disk.iops", "", at(0), at(599), 0)
		if len(iops) != 600 || iops[50].Min != 0 || iops[51].Min != 10 {
			t.Errorf("I/Os: %+v", iops[49:52])
		}
		_, witness := rangeOf(t, db, "pg.vacuum.witness", "public.t", at(0), at(100), 0)
		if len(witness) != 101 || witness[100].Min != 1 {
			t.Errorf("%d seconds of witness", len(witness))
		}
		sealAll(t, db, c)
	}
	_, mins := rangeOf(t, db, "disk.io_kib", "", day, day.Add(25*time.Hour), 0)
	if mins[0].Min != 8 || mins[0].Max != 8 || mins[0].Gap {
		t.Errorf("the roll-up of the I/O size begins with %+v", mins[0])
	}
}

func TestRangeRefusesNonsense(t *testing.T) {
	db, _ := openNew(t, day)
	_, _, err := db.Range(t.Context(), ref, "pg.activ", "", at(0), at(9), 0)
	if err == nil || !strings.Contains(err.Error(), `"pg.active"`) {
		t.Errorf("a misspelt signal: %v", err)
	}
	if _, _, err := db.Range(t.Context(), ref, "pg.active", "", at(9), at(0), 0); err == nil {
		t.Error("a stretch that ends before it begins was accepted")
	}
	_, got := rangeOf(t, db, "pg.active", "", at(0), at(9), 0)
	if len(got) != 1 || !got[0].Gap {
		t.Errorf("an unknown instance: %+v, want one gap", got)
	}
}

// A release may drop a signal: its series stay in the file, are skipped when
// reading, and survive a merge.
func TestSignalThatIsNoLongerKnown(t *testing.T) {
	db, c := openNew(t, day)
	db.Append(batch("postgres", at(1), time.Second, gauge(active, 1), gauge(tps, 5)))
	sealAll(t, db, c)
	path := db.path
	if _, err := db.w.Exec("UPDATE series SET signal = 'pg.gone' WHERE signal = 'pg.active'"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, path, c, store.Retention{})
	defer again.Close()
	again.Append(batch("postgres", at(2), time.Second, gauge(tps, 6)))
	sealAll(t, again, c)
	_, got := rangeOf(t, again, "pg.tps", "", at(1), at(2), 0)
	if len(got) != 2 || got[1].Min != 6 {
		t.Errorf("%+v", got)
	}
	batches, err := again.Recent(t.Context(), at(0), at(10), "")
	if err != nil || len(batches) != 2 || len(batches[0].Samples) != 1 {
		t.Errorf("%+v, %v", batches, err)
	}
	var blob []byte
	if err := again.r.QueryRow("SELECT v FROM block").Scan(&blob); err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	if err := r.open(blob); err != nil || len(r.heads) != 3 {
		t.Errorf("the block has %d columns after the merge, want the elapsed time and two series: %v", len(r.heads), err)
	}
}

// Readers see a consistent history while blocks are sealed under them: no second
// that was committed is ever missing.
func TestReadersWhileSealing(t *testing.T) {
	db, c := openNew(t, day)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var mu sync.Mutex
	committed := -1
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.Lock()
				n := committed
				mu.Unlock()
				if n < 0 {
					continue
				}
				_, got, err := db.Range(t.Context(), ref, "pg.active", "", at(0), at(n), 0)
				if err != nil || len(got) != n+1 {
					t.Errorf("%d seconds of %d, %v", len(got), n+1, err)
					return
				}
				batches, err := db.Recent(t.Context(), at(max(0, n-700)), at(n), "")
				if err != nil || len(batches) != min(n, 700)+1 {
					t.Errorf("%d batches of %d, %v", len(batches), min(n, 700)+1, err)
					return
				}
				db.Health()
			}
		})
	}
	for i := 0; i < 6000; i += 20 {
		for j := i; j < i+20; j++ {
			db.Append(batch("postgres", at(j), time.Second, gauge(active, int64(j)), gauge(tps, 5)))
		}
		c.set(at(i + 19))
		flush(t, db)
		mu.Lock()
		committed = i + 19
		mu.Unlock()
	}
	close(stop)
	wg.Wait()
	if n := one(t, db.r, "SELECT count(*) FROM block"); n < 8 {
		t.Errorf("only %d blocks were sealed", n)
	}
}
