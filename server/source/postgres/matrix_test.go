package postgres

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stallbook/server/lab"
	"stallbook/store"
)

// onPrimary is what every version gives on a primary.
var onPrimary = []string{
	"pg.tps", "pg.active", "pg.oldest_active_s", "pg.wait.wal", "pg.wait.sync_rep", "pg.wait.data_read", "pg.wait.wal_init", "pg.wait.lock",
	"pg.wal_kib_s", "pg.checkpoint.sync_ms", "pg.checkpoint.done", "pg.vacuum.running", "pg.vacuum.passes", "pg.sync.required", "pg.sync.streaming",
	"pg.wal_fpi_s", "pg.wal_buffers_full_s",
}

var onStandby = []string{
	"pg.tps", "pg.active", "pg.wait.startup_read", "pg.replay_lag_kib", "pg.replay_lag_s", "pg.replay_kib_s", "pg.receive_kib_s", "pg.walreceiver_up", "pg.vacuum.running",
}

// slowSignals come with the slow loop.
var slowSignals = []string{"pg.wal_spare_segments", "pg.slot_retained_kib", "pg.table.kib", "pg.table.inserts_since_vacuum", "pg.table.insert_trigger", "pg.table.pages_not_visible"}

func TestEveryVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	found, err := lab.Find()
	if err != nil {
		t.Skip(err)
	}
	for _, bin := range found {
		t.Run(bin.Version+" "+bin.Origin, func(t *testing.T) {
			p := startWith(t, bin, nil)
			sb, err := p.AddStandby(t.Context(), "standby", nil)
			if err != nil {
				t.Fatal(err)
			}
			run1(t, p, "create table t as select g from generate_series(1, 20000) g", "vacuum analyze t", "create database other")
			t.Run("primary", func(t *testing.T) {
				want := slices.Clone(onPrimary)
				if bin.Major >= 18 {
					want = append(want, "pg.wal_segments_created_s")
				}
				checkVersion(t, p, bin, "primary", want, slowSignals)
			})
			t.Run("standby", func(t *testing.T) {
				want := slices.Clone(onStandby)
				if bin.Major >= 15 {
					want = append(want, "pg.prefetch_s", "pg.prefetch_skip_fpw_s", "pg.prefetch_hit_s")
				}
				checkVersion(t, sb, bin, "standby", want, []string{"pg.slot_retained_kib"})
			})
		})
	}
}

func checkVersion(t *testing.T, server *lab.Server, bin lab.Binaries, role string, fast, slow []string) {
	t.Helper()
	s := source(t, server.DSN("postgres"), func(o *Options) { o.Databases = []string{AllDatabases} })
	first := good(t, s)
	if first.Elapsed != 0 || string(first.Role) != role {
		t.Errorf("first batch: elapsed %s, role %q", first.Elapsed, first.Role)
	}
	if first.Facts["pg.version"] != bin.Version || first.Facts["pg.platform"] != "plain" || first.Facts["pg.system_identifier"] == "" {
		t.Errorf("facts %v", first.Facts)
	}
	for _, name := range []string{"autovacuum_vacuum_insert_scale_factor", "data_checksums", "restore_command"} {
		if _, ok := first.Facts["pg.setting."+name]; !ok {
			t.Errorf("no fact pg.setting.%s", name)
		}
	}
	// Up to 14 the first use of a database costs an interval without a rate.
	second := eventually(t, s, 4*time.Second, "a transaction rate", func(b store.Batch) bool {
		_, ok := value(b, "pg.tps", "")
		return ok
	})
	if len(second.Notes) > 0 {
		t.Errorf("notes for a superuser: %q", second.Notes)
	}
	have := signals(second)
	for _, name := range fast {
		if _, ok := value(second, name, ""); !ok {
			t.Errorf("%s is missing or has no value", name)
		}
	}
	for name := range signals(first) {
		have[name] = true
	}
	for _, name := range slow {
		if !have[name] {
			t.Errorf("%s is missing", name)
		}
	}
	for _, line := range errorsIn(t, server) {
		if strings.Contains(line, applicationName) {
			t.Errorf("we made the server log: %s", line)
		}
	}
}
