package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

func TestHangingSessionsDoNotPileUp(t *testing.T) {
	p := primary(t, 17, nil)
	s := source(t, p.DSN("postgres"), inTime)
	var frozen []int
	defer func() {
		for _, pid := range frozen {
			syscall.Kill(pid, syscall.SIGCONT)
		}
	}()
	for range leftoverLimit {
		eventually(t, s, 5*time.Second, "a session", func(b store.Batch) bool { return b.Err == "" })
		pid := int(s.session.conn.PgConn().PID()) // of a server this test started
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		frozen = append(frozen, pid)
		if b := collect(t, s); b.Err == "" {
			t.Fatal("a frozen session answers")
		}
	}
	for range 3 {
		begun := time.Now()
		if b := collect(t, s); !strings.Contains(b.Err, "still hang") {
			t.Fatalf("err %q", b.Err)
		}
		if took := time.Since(begun); took > 500*time.Millisecond {
			t.Errorf("saying so took %s", took)
		}
	}
	// The driver stops waiting after a while; then the server is asked.
	for i := range s.left {
		s.left[i].since = time.Now().Add(-time.Minute)
		done := make(chan struct{})
		close(done)
		s.left[i].done = done
	}
	if b := collect(t, s); !strings.Contains(b.Err, "still hang") || s.Connected() {
		t.Errorf("err %q, connected %v", b.Err, s.Connected())
	}
	for _, pid := range frozen {
		syscall.Kill(pid, syscall.SIGCONT)
	}
	eventually(t, s, 10*time.Second, "readings again", func(b store.Batch) bool { return b.Err == "" })
	if len(s.left) > 0 {
		t.Errorf("still accounts for %v", s.left)
	}
}

func TestRefusedLoginsAreExplained(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create role locked login password 'another one'", "create role barred login")
	hba := filepath.Join(p.DataDir(), "pg_hba.conf")
	old, err := os.ReadFile(hba)
	if err != nil {
		t.Fatal(err)
	}
	lines := "host all locked 127.0.0.1/32 scram-sha-256\nhost all barred 127.0.0.1/32 reject\n"
	if err := os.WriteFile(hba, append([]byte(lines), old...), 0o600); err != nil {
		t.Fatal(err)
	}
	run1(t, p, "select pg_reload_conf()")
	time.Sleep(300 * time.Millisecond)
	for dsn, want := range map[string]string{
		fmt.Sprintf("postgres://locked:s3s4me@127.0.0.1:%d/postgres?sslmode=disable", p.Port):                     "refused the password of role locked",
		fmt.Sprintf("host=127.0.0.1 port=%d user=locked password=s3s4me dbname=postgres sslmode=disable", p.Port): "refused the password of role locked",
		p.DSNAs("barred", "postgres"): "does not let role barred in",
		fmt.Sprintf("postgres://postgres:s3s4me@127.0.0.1:%d/postgres?sslmode=require", p.Port): "offers no TLS",
		"postgres://u:s3s4me@no-such-host.invalid/db":                                           "no-such-host.invalid has no address",
		"host=/nowhere user=u password=s3s4me":                                                  "there is no socket /nowhere/.s.PGSQL.5432",
	} {
		b := collect(t, source(t, dsn))
		if !strings.Contains(b.Err, want) || strings.Contains(b.Err, "s3s4me") {
			t.Errorf("%s: err %q, want %q in it", dsn, b.Err, want)
		}
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
