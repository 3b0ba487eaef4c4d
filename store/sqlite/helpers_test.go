package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"stallbook/store"
)

// day is a full UTC day's beginning, so that tests know where blocks and days end.
var day = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// fakeClock is a clock that a test moves.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) set(t time.Time) {
	c.mu.Lock()
	c.now = t
	c.mu.Unlock()
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openAt(t testing.TB, path string, c *fakeClock, keep store.Retention) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, Options{Retention: keep, Clock: c.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func openNew(t testing.TB, now time.Time) (*DB, *fakeClock) {
	t.Helper()
	c := &fakeClock{now: now}
	db := openAt(t, filepath.Join(t.TempDir(), "history.db"), c, store.Retention{})
	t.Cleanup(func() { db.Close() })
	return db, c
}

func flush(t testing.TB, db *DB) {
	t.Helper()
	if err := db.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sealAll moves the clock beyond every block's due time.
func sealAll(t testing.TB, db *DB, c *fakeClock) {
	t.Helper()
	flush(t, db)
	c.set(c.Now().Add(sealLatest * time.Second))
	flush(t, db)
	db.mu.RLock()
	defer db.mu.RUnlock()
	for _, in := range db.mem.instances {
		if len(in.open) > 0 {
			t.Fatalf("%s has %d blocks open", in.ref, len(in.open))
		}
	}
}

func signal(name string) store.SignalID { return store.MustLookup(name) }

var (
	ref     = store.Ref{Cluster: "orders", Instance: "orders-1"}
	active  = signal("pg.active")
	tps     = signal("pg.tps")
	reads   = signal("disk.read_iops")
	writes  = signal("disk.write_iops")
	readKiB = signal("disk.read_kib_s")
)

func batch(source string, at time.Time, elapsed time.Duration, samples ...store.Sample) store.Batch {
	return store.Batch{Ref: ref, Source: source, At: at, Elapsed: elapsed, Samples: samples}
}

func gauge(id store.SignalID, n int64) store.Sample { return store.Sample{Signal: id, N: n} }

func rangeOf(t testing.TB, db *DB, signal, label string, from, to time.Time, points int) (time.Duration, []store.Bucket) {
	t.Helper()
	step, b, err := db.Range(t.Context(), ref, signal, label, from, to, points)
	if err != nil {
		t.Fatal(err)
	}
	return step, b
}

// one reads a single number from the file itself.
func one(t testing.TB, db *sql.DB, text string) int64 {
	t.Helper()
	var n sql.NullInt64
	if err := db.QueryRowContext(context.Background(), text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n.Int64
}
