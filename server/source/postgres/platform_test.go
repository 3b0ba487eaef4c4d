package postgres

import (
	"strings"
	"testing"
)

func TestAuroraIsAskedForNoWALFunction(t *testing.T) {
	p := primary(t, 17, nil)
	// What the probes look for: the service's role, and a function that only Aurora has.
	run1(t, p, "create role rdsadmin", "create function pg_catalog.aurora_version() returns text language sql as $$ select '17.4.0' $$",
		"create role watcher login", "grant pg_monitor to watcher",
		"revoke execute on function pg_current_wal_lsn(), pg_wal_lsn_diff(pg_lsn, pg_lsn), pg_ls_waldir() from public")
	s := source(t, p.DSNAs("watcher", "postgres"))
	first := good(t, s)
	b := good(t, s)
	if first.Facts["pg.platform"] != "aurora" {
		t.Errorf("platform %q", first.Facts["pg.platform"])
	}
	if signals(b)["pg.wal_kib_s"] || signals(first)["pg.wal_spare_segments"] || !signals(b)["pg.active"] || !signals(b)["pg.tps"] {
		t.Errorf("signals %v", signals(b))
	}
	if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "not available on Aurora") {
		t.Errorf("notes %q", b.Notes)
	}
	if lines := errorsIn(t, p); len(lines) > 0 {
		t.Errorf("we made the server log: %q", lines)
	}
}

func TestPlainRDSCostsOneErrorAConnection(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create role rdsadmin")
	s := source(t, p.DSN("postgres"))
	if b := good(t, s); b.Facts["pg.platform"] != "rds" {
		t.Errorf("platform %q", b.Facts["pg.platform"])
	}
	for range 3 {
		good(t, s)
	}
	if lines := errorsIn(t, p); len(lines) != 1 || !strings.Contains(lines[0], "aurora_version") {
		t.Errorf("errors in the log: %q, want the one probe", lines)
	}
}

func TestStatementsStandWithoutTheColumnsThatMove(t *testing.T) {
	p := primary(t, 17, nil)
	conn, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, name := range []string{"fast/instance", "fast/activity", "fast/database", "fast/wal", "fast/vacuum", "fast/passes",
		"fast/senders", "fast/standby", "fast/prefetch", "slow/settings", "slow/waldir", "slow/slots", "slow/tables"} {
		text, err := render(name, capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Prepare(t.Context(), name, text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
