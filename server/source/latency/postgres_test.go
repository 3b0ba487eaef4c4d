package latency

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/server/lab"
	"stallbook/store"
)

// start starts a server, the system's PostgreSQL 15 if there is one.
func start(t *testing.T, settings map[string]string) *lab.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	bin, err := lab.FindMajor(15)
	if err != nil {
		if all, other := lab.Find(); other == nil {
			bin, err = all[0], nil
		}
	}
	if err != nil {
		t.Skip(err)
	}
	s, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// until collects until the batch satisfies, for ten seconds at most.
func until(t *testing.T, what string, collect func() store.Batch, good func(store.Batch) bool) store.Batch {
	t.Helper()
	var b store.Batch
	for range 100 {
		if b = collect(); good(b) {
			return b
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s: not seen within 10 s; the last batch has error %q, notes %q, %v", what, b.Err, b.Notes, values(b))
	return b
}

func probe(t *testing.T, dsn string) func() store.Batch {
	t.Helper()
	p, err := NewProbe(ProbeOptions{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return func() store.Batch { return p.Collect(t.Context(), time.Now()) }
}

// Commits that wait for a standby that isn't there hang on any disk.
func TestProbeSeesAStallWhileItLasts(t *testing.T) {
	server := start(t, nil)
	collect := probe(t, server.DSN("postgres"))
	calm := until(t, "calm", collect, func(b store.Batch) bool { return values(b)["latency.p50_ms"] > 0 })
	if p50 := values(calm)["latency.p50_ms"]; p50 > 150 || calm.Err != "" || !strings.Contains(calm.Facts["latency.from"], "own commit") {
		t.Errorf("calm: p50 %v ms, error %q, facts %v", p50, calm.Err, calm.Facts)
	}
	if err := server.SetSetting(t.Context(), "synchronous_standby_names", "nobody"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	stalled := until(t, "stall", collect, func(b store.Batch) bool { return values(b)["latency.p50_ms"] > 300 })
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("the stall was seen after %v", d)
	}
	until(t, "age of the hanging commit", collect, func(b store.Batch) bool { return values(b)["latency.p99_ms"] > 2500 })
	if stalled.Err != "" {
		t.Errorf("a hanging commit is a latency and no failure: %q", stalled.Err)
	}
	if err := server.SetSetting(t.Context(), "synchronous_standby_names", ""); err != nil {
		t.Fatal(err)
	}
	until(t, "recovery", collect, func(b store.Batch) bool { p99, ok := values(b)["latency.p99_ms"]; return ok && p99 < 200 })
}

func TestProbeSaysWhyItCannotCommit(t *testing.T) {
	server := start(t, nil)
	standby, err := server.AddStandby(t.Context(), "s1", nil)
	if err != nil {
		t.Fatal(err)
	}
	b := until(t, "standby", probe(t, standby.DSN("postgres")), func(b store.Batch) bool { return len(b.Notes) > 0 })
	if b.Err != "" || len(b.Samples) != 0 || !strings.Contains(b.Notes[0], "standby commits nothing") {
		t.Errorf("on a standby: %q, %q, %v", b.Err, b.Notes, b.Samples)
	}
	collect := probe(t, server.DSN("postgres"))
	until(t, "calm", collect, func(b store.Batch) bool { return len(b.Samples) > 0 })
	if err := server.Stop(lab.Fast); err != nil {
		t.Fatal(err)
	}
	b = until(t, "stopped", collect, func(b store.Batch) bool { return strings.Contains(b.Err, "refused") })
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "started again", collect, func(b store.Batch) bool { return b.Err == "" && len(b.Samples) > 0 })
	if _, err := NewProbe(ProbeOptions{DSN: "postgres://u:secret@host:notaport/"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a broken connection string: %v", err)
	}
}

// session is a Querier on a plain connection.
type session struct{ conn *pgx.Conn }

func (s session) QueryRows(ctx context.Context, sql string, each func(pgx.CollectableRow) error) error {
	rows, err := s.conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, each(row) })
	return err
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func TestStatementsOnARealServer(t *testing.T) {
	server := start(t, map[string]string{"shared_preload_libraries": "pg_stat_statements"})
	ctx := t.Context()
	for _, sql := range []string{"CREATE SCHEMA \"Odd one\"", "CREATE ROLE watcher LOGIN", "GRANT USAGE ON SCHEMA \"Odd one\" TO watcher", "CREATE ROLE app LOGIN"} {
		if err := server.Exec(ctx, "postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	src := NewStatements(session{connect(t, server.DSNAs("watcher", "postgres"))})
	collect := func() store.Batch { return src.Collect(ctx, time.Now()) }
	if b := collect(); b.Err != "" || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "CREATE EXTENSION") {
		t.Errorf("without the extension: %q, %q", b.Err, b.Notes)
	}
	if err := server.Exec(ctx, "postgres", "CREATE EXTENSION pg_stat_statements SCHEMA \"Odd one\""); err != nil {
		t.Fatal(err)
	}
	app := connect(t, server.DSNAs("app", "postgres"))
	run := func(n int, d time.Duration) {
		for range n {
			if _, err := app.Exec(ctx, fmt.Sprintf("SELECT pg_sleep(%f)", d.Seconds())); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(3, time.Millisecond)
	if b := collect(); b.Err != "" || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "GRANT pg_read_all_stats TO watcher;") {
		t.Errorf("without the right to see others: %q, %q", b.Err, b.Notes)
	}
	if err := server.Exec(ctx, "postgres", "GRANT pg_read_all_stats TO watcher"); err != nil {
		t.Fatal(err)
	}
	collect()
	run(20, 20*time.Millisecond)
	b := collect()
	got := values(b)
	if b.Err != "" || len(b.Notes) != 0 || got["latency.p50_ms"] < 18 || got["latency.p50_ms"] > 40 || got["latency.rate"] < 5 {
		t.Errorf("twenty statements of 20 ms: %q, %q, %v", b.Err, b.Notes, got)
	}
	if err := server.Exec(ctx, "postgres", "SELECT \"Odd one\".pg_stat_statements_reset()"); err != nil {
		t.Fatal(err)
	}
	run(1, time.Millisecond)
	if b = collect(); b.Err != "" || values(b)["latency.p50_ms"] > 100 {
		t.Errorf("after a reset: %q, %v", b.Err, values(b))
	}
}

// The columns have the same names from 14 to 18.
func TestStatementsOnEveryVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	all, err := lab.Find()
	if err != nil {
		t.Skip(err)
	}
	for _, bin := range all {
		t.Run(bin.Version, func(t *testing.T) {
			server, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Settings: map[string]string{"shared_preload_libraries": "pg_stat_statements"}})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			if err := server.Exec(t.Context(), "postgres", "CREATE EXTENSION pg_stat_statements", "CREATE ROLE watcher LOGIN IN ROLE pg_monitor"); err != nil {
				t.Fatal(err)
			}
			src := NewStatements(session{connect(t, server.DSNAs("watcher", "postgres"))})
			app := connect(t, server.DSN("postgres"))
			for range 2 {
				if _, err := app.Exec(t.Context(), "SELECT pg_sleep(0.01)"); err != nil {
					t.Fatal(err)
				}
				b := src.Collect(t.Context(), time.Now())
				if b.Err != "" || len(b.Notes) > 0 {
					t.Fatalf("%q, %q", b.Err, b.Notes)
				}
			}
			if len(src.last) == 0 || src.lastAt.IsZero() {
				t.Errorf("no entry was read")
			}
		})
	}
}

func TestStatementsNotLoaded(t *testing.T) {
	server := start(t, nil)
	if err := server.Exec(t.Context(), "postgres", "CREATE EXTENSION pg_stat_statements"); err != nil {
		t.Fatal(err)
	}
	src := NewStatements(session{connect(t, server.DSN("postgres"))})
	if b := src.Collect(t.Context(), time.Now()); b.Err != "" || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "shared_preload_libraries") {
		t.Errorf("%q, %q", b.Err, b.Notes)
	}
}

// broken is a Querier whose connection is gone.
type broken struct{}

func (broken) QueryRows(context.Context, string, func(pgx.CollectableRow) error) error {
	return errors.New("connection reset by peer")
}

func TestStatementsFailure(t *testing.T) {
	if b := NewStatements(broken{}).Collect(t.Context(), time.Now()); !strings.Contains(b.Err, "reset by peer") {
		t.Errorf("%q, %q", b.Err, b.Notes)
	}
}
