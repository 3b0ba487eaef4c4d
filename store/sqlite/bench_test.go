package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"stallbook/store"
)

// fleet plays a number of simulated instances against a history file.
type fleet struct {
	db    *DB
	clock *fakeClock
	path  string
	refs  []store.Ref
	pool  [][]int64 // figures of a few simulated servers, tick after tick
	took  [][]int64
	start time.Time
	tick  int
	rate  [simSignals]bool
}

// poolTicks is how much is simulated ahead; instances beyond the pool, and ticks
// beyond its end, repeat it shifted.
const poolTicks = 2 * 3600

// newFleet opens a history for so many instances, simulated from pool servers. The
// catalogue has too few signals of a kind, so labels make the sixty series.
func newFleet(b testing.TB, instances, pool int) *fleet {
	f := &fleet{clock: &fakeClock{now: day}, path: filepath.Join(b.TempDir(), "history.db"), start: day}
	f.db = openAt(b, f.path, f.clock, store.Retention{})
	b.Cleanup(func() { f.db.Close() })
	for i := range instances {
		f.refs = append(f.refs, store.Ref{Cluster: fmt.Sprint("c", i/4), Instance: fmt.Sprint("i", i)})
	}
	for i := range simSignals {
		f.rate[i] = i < 14 || i >= 20 && i < 34
	}
	for i := range pool {
		s := newSimulated(uint64(i) + 1)
		rows, took := make([]int64, poolTicks*simSignals), make([]int64, poolTicks)
		for t := range poolTicks {
			took[t] = s.next(rows[t*simSignals : (t+1)*simSignals])
		}
		f.pool, f.took = append(f.pool, rows), append(f.took, took)
	}
	return f
}

func (f *fleet) samples(inst, tick int) (out []store.Sample, elapsed time.Duration) {
	t := (tick + inst/len(f.pool)*317) % poolTicks
	row := f.pool[inst%len(f.pool)][t*simSignals : (t+1)*simSignals]
	out = make([]store.Sample, simSignals)
	for i, v := range row {
		out[i] = store.Sample{Signal: signal("pg.table.kib"), Label: labels[i], N: v}
		if f.rate[i] {
			out[i].Signal = tps
		}
	}
	return out, time.Duration(f.took[inst%len(f.pool)][t]) * time.Microsecond
}

var labels = func() []string {
	out := make([]string, simSignals)
	for i := range out {
		out[i] = fmt.Sprint("public.table_", i)
	}
	return out
}()

// step is one tick: a batch of every instance, committed.
func (f *fleet) step(b testing.TB, batches []store.Batch) {
	f.clock.set(f.start.Add(time.Duration(f.tick) * time.Second))
	f.db.Append(batches...)
	f.tick++
	flush(b, f.db)
}

func (f *fleet) batches() []store.Batch {
	at := f.start.Add(time.Duration(f.tick) * time.Second)
	out := make([]store.Batch, len(f.refs))
	for i, r := range f.refs {
		s, elapsed := f.samples(i, f.tick)
		out[i] = store.Batch{Ref: r, Source: "postgres", At: at, Elapsed: elapsed, Samples: s}
	}
	return out
}

// cpu is what this process has used so far.
func cpu(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBytesPerSample fills a file with hours of a fleet and divides its
// size, with everything in it, by the samples that went in.
func BenchmarkBytesPerSample(b *testing.B) {
	for range b.N {
		const hours = 6
		f := newFleet(b, 40, 10)
		for range hours * 3600 / 15 {
			var all []store.Batch
			for range 15 { // a commit in 15 s: what is stored is the same, the run is shorter
				all = append(all, f.batches()...)
				f.tick++
			}
			f.tick--
			f.step(b, all)
		}
		f.report(b, int64(hours*3600*40*simSignals))
	}
}

func (f *fleet) report(b *testing.B, samples int64) {
	sealAll(b, f.db, f.clock)
	flush(b, f.db)
	ctx := b.Context()
	block := one(b, f.db.r, "SELECT sum(length(v)) FROM block")
	part := one(b, f.db.r, "SELECT sum(length(v)) FROM rollup_part")
	if _, err := f.db.w.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
	pages, free, size, err := f.db.pages(ctx)
	if err != nil {
		b.Fatal(err)
	}
	per := func(n int64) float64 { return float64(n) / float64(samples) }
	b.ReportMetric(per(fileSize(b, f.path)), "file-B/sample")
	b.ReportMetric(per((pages-free)*size), "used-B/sample")
	b.ReportMetric(per(block), "block-B/sample")
	b.ReportMetric(per(part), "rollup-B/sample")
}

func fileSize(b testing.TB, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkIngest commits once a tick, seals and trims as the program does, and
// reports samples for each second of processor time (user and system).
func BenchmarkIngest(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint("instances=", n), func(b *testing.B) {
			for range b.N {
				f := newFleet(b, n, 10)
				ticks := 1200
				if n == 100 {
					ticks = 2400
				}
				var used time.Duration
				for range ticks {
					all := f.batches()
					before := cpu(b)
					f.step(b, all)
					used += cpu(b) - before
				}
				samples := float64(ticks * n * simSignals)
				b.ReportMetric(samples/used.Seconds()/1e6, "Msamples/cpu-s")
				b.ReportMetric(float64(one(b, f.db.r, "SELECT count(*) FROM block")), "blocks")
				f.db.Close()
			}
		})
	}
}

// BenchmarkRange6h reads six hours of one series of ten instances' history.
func BenchmarkRange6h(b *testing.B) {
	f := newFleet(b, 10, 10)
	for range 6 * 3600 / 60 {
		var all []store.Batch
		for range 60 {
			all = append(all, f.batches()...)
			f.tick++
		}
		f.tick--
		f.step(b, all)
	}
	sealAll(b, f.db, f.clock)
	for _, points := range []int{0, 1000} {
		b.Run(fmt.Sprint("points=", points), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				at := time.Now()
				_, got, err := f.db.Range(b.Context(), f.refs[3], "pg.tps", labels[5], day, day.Add(6*time.Hour-time.Second), points)
				took = append(took, time.Since(at))
				if err != nil || points == 0 && len(got) != 6*3600 {
					b.Fatal(len(got), err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		})
	}
}

// BenchmarkRestart opens a file that was not closed well and reads back what a
// Window needs, for 100 instances.
func BenchmarkRestart(b *testing.B) {
	f := newFleet(b, 100, 10)
	for range 1300 {
		f.step(b, f.batches())
	}
	end := f.clock.Now()
	if err := f.db.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		begin := time.Now()
		db := openAt(b, f.path, f.clock, store.Retention{})
		opened := time.Since(begin)
		got, err := db.Recent(b.Context(), end.Add(-store.WindowSeconds*time.Second), end, "")
		if err != nil || len(got) < 100*store.WindowSeconds {
			b.Fatal(len(got), err)
		}
		b.ReportMetric(opened.Seconds(), "open-s")
		b.ReportMetric((time.Since(begin) - opened).Seconds(), "recent-s")
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRange30d reads a month of roll-ups of one series.
func BenchmarkRange30d(b *testing.B) {
	c := &fakeClock{now: day}
	db := openAt(b, filepath.Join(b.TempDir(), "history.db"), c, store.Retention{})
	b.Cleanup(func() { db.Close() })
	s, row := newSimulated(1), make([]int64, simSignals)
	for i := range 30 * 8640 {
		now := day.Add(time.Duration(i) * 10 * time.Second)
		c.set(now)
		s.next(row)
		db.Append(batch("postgres", now, 10*time.Second, gauge(tps, row[8]), gauge(active, row[44])))
		if i%360 == 0 {
			flush(b, db)
		}
	}
	for range 40 * tidyEvery {
		flush(b, db)
	}
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		_, got, err := db.Range(b.Context(), ref, "pg.tps", "", day, day.Add(30*24*time.Hour-time.Second), 1000)
		took = append(took, time.Since(begin))
		if err != nil || len(got) < 900 {
			b.Fatal(len(got), err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}

// The ratios that must hold on any machine: the file against the goal, and the
// blocks against plain varint deltas.
func TestFileStaysSmall(t *testing.T) {
	f := newFleet(t, 12, 6)
	const ticks = 3600
	for range ticks / 60 {
		var all []store.Batch
		for range 60 {
			all = append(all, f.batches()...)
			f.tick++
		}
		f.tick--
		f.step(t, all)
	}
	sealAll(t, f.db, f.clock)
	samples := float64(ticks * 12 * simSignals)
	kept := float64(one(t, f.db.r, "SELECT sum(length(v)) FROM (SELECT v FROM block UNION ALL SELECT v FROM rollup_part)"))
	if kept/samples > 1.1 {
		t.Errorf("blocks and roll-ups take %.3f bytes a sample, want 1.1 or less", kept/samples)
	}
	pages, free, size, err := f.db.pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The journal holds the last twenty minutes whatever the file's age; in an hour
	// it would count for too much.
	used := float64((pages-free)*size - one(t, f.db.r, "SELECT sum(length(v)) FROM journal"))
	if used/samples > 1.25 {
		t.Errorf("the file takes %.3f bytes a sample, the goal is 1.25", used/samples)
	}
	if n, want := one(t, f.db.r, "SELECT count(*) FROM block"), int64(12*ticks/blockSeconds); n != want {
		t.Errorf("%d blocks, want one for each instance and ten minutes: %d", n, want)
	}
}

// Batches of a known shape are taken without a look-up or an allocation for each
// sample: that is what makes millions of samples a second of processor time.
func TestKnownShapeCostsNoAllocations(t *testing.T) {
	f := newFleet(t, 20, 2)
	all := f.batches()
	f.step(t, all)
	if err := f.db.Close(); err != nil { // the writer must not interfere
		t.Fatal(err)
	}
	m := &f.db.mem
	m.journal.sinceKF = 1
	allocs := testing.AllocsPerRun(20, func() {
		m.absorb(all, day.Unix())
		m.journal.waiting, m.journal.sinceKF = m.journal.waiting[:0], 1
	})
	if samples := float64(20 * simSignals); allocs > samples/20 {
		t.Errorf("%.0f allocations for %.0f samples of a known shape", allocs, samples)
	}
}
