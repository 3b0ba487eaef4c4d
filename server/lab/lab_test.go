package lab_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stallbook/server/lab"
)

func pair(t *testing.T, major int) (primary, standby *lab.Server) {
	t.Helper()
	bin, err := lab.FindMajor(major)
	if err != nil {
		t.Skip(err)
	}
	primary, err = lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Checksums: true, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := primary.Close(); err != nil {
			t.Error(err)
		}
	})
	standby, err = primary.AddStandby(t.Context(), "standby", nil)
	if err != nil {
		t.Fatal(err)
	}
	return primary, standby
}

func count(t *testing.T, s *lab.Server, q string) (n int64) {
	t.Helper()
	conn, err := s.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), q).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSyncOutageHangsCommitsUntilHealed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	primary, standby := pair(t, 17)
	heal, err := lab.SyncOutage(t.Context(), primary, standby)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if n := count(t, primary, "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"); n < 2 {
		t.Errorf("%d sessions wait for the standby, want 2", n)
	}
	if n := count(t, primary, "select count(*) from pg_stat_replication where state = 'streaming'"); n != 0 {
		t.Errorf("%d standbys stream during the outage", n)
	}
	if err := heal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, primary, "select count(*) from pg_stat_replication where sync_state = 'sync'"); n != 1 {
		t.Errorf("%d synchronous standbys after healing, want 1", n)
	}
}

func TestInsertPassComes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	primary, _ := pair(t, 15)
	if err := lab.InsertPass(t.Context(), primary, 50_000); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if count(t, primary, "select autovacuum_count from pg_stat_all_tables where relid = '"+lab.InsertTable+"'::regclass") > 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("no autovacuum pass within 20 s")
}

func TestStopStartKillPromote(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	primary, standby := pair(t, 17)
	for name, end := range map[string]func() error{
		"fast":      func() error { return primary.Stop(lab.Fast) },
		"immediate": func() error { return primary.Stop(lab.Immediate) },
		"killed":    primary.Kill,
	} {
		if err := end(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := primary.Start(t.Context()); err != nil {
			t.Fatalf("start after %s: %v", name, err)
		}
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, standby, "select pg_is_in_recovery()::int"); n != 0 {
		t.Error("the promoted standby is still in recovery")
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	parent, err := os.MkdirTemp("", "lt")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	primary, err := lab.StartPrimary(t.Context(), lab.Options{Dir: parent})
	if err != nil {
		t.Fatal(err)
	}
	if err := primary.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := primary.Connect(t.Context(), "postgres"); err == nil {
		t.Error("the server still answers")
	}
}
