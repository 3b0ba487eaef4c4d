package postgres

import (
	"math"
	"testing"
	"time"

	"stallbook/server/lab"

	"stallbook/store"
)

// totals polls for a while and adds up what each signal counted, in its unit.
func totals(t *testing.T, s *Source, d time.Duration, into map[string]float64) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		b := good(t, s)
		for _, smp := range b.Samples {
			if info := smp.Signal.Info(); info.Kind != store.Gauge {
				into[info.Name] += float64(smp.N) * info.Scale
			}
		}
	}
}

func TestFiguresAgreeWithTheServer(t *testing.T) {
	p := primary(t, 18, map[string]string{"max_wal_size": "64MB", "min_wal_size": "32MB", "checkpoint_timeout": "1h"})
	sb, err := p.AddStandby(t.Context(), "s1", map[string]string{"shared_buffers": "4MB"})
	if err != nil {
		t.Fatal(err)
	}
	run1(t, p, "create table t as select g, repeat('x', 100) as v from generate_series(1, 200000) g", "checkpoint")
	caughtUp(t, sb)
	onP, onS := source(t, p.DSN("postgres")), source(t, sb.DSN("postgres"))
	good(t, onP)
	good(t, onS)
	lsn := func() float64 {
		conn, err := p.Connect(t.Context(), "postgres")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		var v float64
		if err := conn.QueryRow(t.Context(), "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')").Scan(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := lsn()
	statements := make([]string, 0, 60)
	for range 50 {
		statements = append(statements, "insert into t values (0, 'y')")
	}
	statements = append(statements, "update t set v = v || 'z' where g % 20 = 0", "select pg_switch_wal()", "insert into t values (0)", "select pg_switch_wal()", "insert into t values (0)", "checkpoint")
	run1(t, p, statements...)
	got, gotS := map[string]float64{}, map[string]float64{}
	totals(t, onP, 3*time.Second, got)
	totals(t, onS, time.Second, gotS)
	wrote := (lsn() - before) / 1024
	if math.Abs(got["pg.wal_kib_s"]-wrote) > 0.02*wrote+64 {
		t.Errorf("WAL %v KiB, the server's position moved by %v", got["pg.wal_kib_s"], wrote)
	}
	if math.Abs(gotS["pg.receive_kib_s"]-wrote) > 0.02*wrote+64 || math.Abs(gotS["pg.replay_kib_s"]-wrote) > 0.02*wrote+64 {
		t.Errorf("received %v and replayed %v KiB of %v", gotS["pg.receive_kib_s"], gotS["pg.replay_kib_s"], wrote)
	}
	if n := got["pg.tps"]; n < 56 || n > 140 {
		t.Errorf("%v transactions, of which 56 are ours to count and the rest the pollers'", n)
	}
	if got["pg.wal_fpi_s"] < 1000 {
		t.Errorf("%v full page images after a checkpoint and an update of each page", got["pg.wal_fpi_s"])
	}
	if got["pg.wal_segments_created_s"] < 1 {
		t.Errorf("%v segments created", got["pg.wal_segments_created_s"])
	}
	if got["pg.checkpoint.done"] < 1 {
		t.Errorf("%v checkpoints", got["pg.checkpoint.done"])
	}
	if gotS["pg.prefetch_skip_fpw_s"] < 1000 {
		t.Errorf("%v blocks not prefetched on the standby because of their images", gotS["pg.prefetch_skip_fpw_s"])
	}
	t.Logf("primary %v", got)
	t.Logf("standby %v", gotS)
}

// caughtUp waits until the standby has replayed what it received, and received
// what was written: on a busy machine it may be seconds behind.
func caughtUp(t *testing.T, standby *lab.Server) {
	t.Helper()
	conn, err := standby.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	last, since := "", time.Now()
	for begun := time.Now(); time.Since(begun) < 60*time.Second; time.Sleep(200 * time.Millisecond) {
		var received, replayed string
		if err := conn.QueryRow(t.Context(), "select coalesce(pg_last_wal_receive_lsn()::text, ''), pg_last_wal_replay_lsn()::text").Scan(&received, &replayed); err != nil {
			t.Fatal(err)
		}
		if received != replayed || replayed != last {
			last, since = replayed, time.Now()
			continue
		}
		if time.Since(since) > time.Second {
			return
		}
	}
	t.Fatal("the standby did not catch up within a minute")
}
