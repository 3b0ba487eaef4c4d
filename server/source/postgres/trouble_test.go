package postgres

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"stallbook/store"
)

func TestRefusedFunctionCostsOnlyItsOwnSignals(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create role watcher login", "grant pg_monitor to watcher", "revoke execute on function pg_catalog.pg_stat_get_wal_senders() from public")
	s := source(t, p.DSNAs("watcher", "postgres"))
	for range 3 {
		good(t, s)
	}
	b := good(t, s)
	if signals(b)["pg.sync.streaming"] || !signals(b)["pg.active"] || !signals(b)["pg.tps"] || !signals(b)["pg.checkpoint.sync_ms"] {
		t.Errorf("signals %v", signals(b))
	}
	if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "senders") || !strings.Contains(b.Notes[0], "42501") {
		t.Errorf("notes %q", b.Notes)
	}
	if lines := errorsIn(t, p); len(lines) != 1 {
		t.Errorf("the server logged %d errors, want the one of the first poll: %q", len(lines), lines)
	}
}

func TestLockedCatalogCostsOnlyItsOwnSignals(t *testing.T) {
	p := primary(t, 17, nil)
	s := source(t, p.DSN("postgres"), slowEach(time.Hour))
	good(t, s)
	good(t, s)
	holder, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "lock table pg_catalog.pg_database in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	first, second := good(t, s), good(t, s)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("two polls took %s", took)
	}
	if !signals(first)["pg.active"] || len(first.Notes) == 0 {
		t.Errorf("what came before the lock is lost, or nothing is said: %v, %q", signals(first), first.Notes)
	}
	if !signals(second)["pg.checkpoint.sync_ms"] && !signals(second)["pg.wal_kib_s"] {
		t.Errorf("what comes behind the lock is not asked by itself: %v", signals(second))
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, s, 3*time.Second, "everything again", func(b store.Batch) bool { return signals(b)["pg.tps"] && len(b.Notes) == 0 })
}

func TestFrozenBackendIsLeftAndReplaced(t *testing.T) {
	p := primary(t, 17, nil)
	s := source(t, p.DSN("postgres"), inTime)
	eventually(t, s, 5*time.Second, "a first answer", func(b store.Batch) bool { return b.Err == "" })
	pid := int(s.session.conn.PgConn().PID()) // of a server this test started
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT)
	begun := time.Now()
	b := collect(t, s)
	if took := time.Since(begun); took > 1100*time.Millisecond {
		t.Errorf("a frozen backend held us %s", took)
	}
	if !strings.Contains(b.Err, "gave no answer") || s.Connected() {
		t.Errorf("err %q, connected %v", b.Err, s.Connected())
	}
	if next := eventually(t, s, 5*time.Second, "a new connection", func(b store.Batch) bool { return b.Err == "" }); next.Elapsed != 0 {
		t.Error("a new connection begins with rates")
	}
}

func TestForbiddenDatabaseIsSkippedWithItsReason(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create role watcher login", "grant pg_monitor to watcher", "create database shop", `create database "Vault"`, `revoke connect on database "Vault" from public`)
	if err := p.Exec(t.Context(), "shop", "create table orders as select g from generate_series(1, 5000) g", "vacuum analyze orders"); err != nil {
		t.Fatal(err)
	}
	s := source(t, p.DSNAs("watcher", "postgres"), slowEach(300*time.Millisecond), func(o *Options) { o.Databases = []string{AllDatabases} })
	b := eventually(t, s, 5*time.Second, "the other database's table", func(b store.Batch) bool {
		v, _ := value(b, "pg.table.kib", "shop.public.orders")
		return v > 0
	})
	if all := strings.Join(b.Notes, "\n"); !strings.Contains(all, `GRANT CONNECT ON DATABASE "Vault" TO watcher;`) {
		t.Errorf("notes %q", b.Notes)
	}
	if lines := errorsIn(t, p); len(lines) > 0 {
		t.Errorf("we made the server log: %q", lines)
	}
	only := source(t, p.DSNAs("watcher", "postgres"), func(o *Options) { o.Databases = []string{"shop"} })
	eventually(t, only, 5*time.Second, "the one database's table without a prefix", func(b store.Batch) bool {
		v, _ := value(b, "pg.table.kib", "public.orders")
		return v > 0
	})
}
