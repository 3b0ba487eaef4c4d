package postgres

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/server/lab"
	"stallbook/store"
)

func TestSyncOutageIsSeenFromBothSides(t *testing.T) {
	p := primary(t, 17, nil)
	sb, err := p.AddStandby(t.Context(), "s1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := lab.MakeSync(t.Context(), p, sb); err != nil {
		t.Fatal(err)
	}
	onP, onS := source(t, p.DSN("postgres")), source(t, sb.SocketDSN("postgres"))
	healthy := good(t, onP)
	if v, _ := value(healthy, "pg.sync.required", ""); v != 1 {
		t.Errorf("required %v, want 1", v)
	}
	if v, _ := value(healthy, "pg.sync.streaming", ""); v != 1 {
		t.Errorf("streaming %v, want 1", v)
	}
	if v, _ := value(good(t, onS), "pg.walreceiver_up", ""); v != 1 {
		t.Errorf("receiver up %v, want 1", v)
	}
	heal, err := lab.SyncOutage(t.Context(), p, sb)
	if err != nil {
		t.Fatal(err)
	}
	hung := eventually(t, onP, 5*time.Second, "commits that wait", func(b store.Batch) bool {
		waiting, _ := value(b, "pg.wait.sync_rep", "")
		streaming, known := value(b, "pg.sync.streaming", "")
		return waiting > 0 && known && streaming == 0
	})
	if v, _ := value(hung, "pg.sync.required", ""); v != 1 {
		t.Errorf("required during the outage %v, want 1", v)
	}
	down := good(t, onS)
	if v, ok := value(down, "pg.walreceiver_up", ""); !ok || v != 0 {
		t.Errorf("receiver up %v during the outage, want 0", v)
	}
	if v, ok := value(down, "pg.replay_lag_kib", ""); !ok || v <= 0 {
		t.Errorf("replay lag %v KiB during the outage, want some", v)
	}
	if err := heal(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, onP, 5*time.Second, "healing", func(b store.Batch) bool {
		waiting, known := value(b, "pg.wait.sync_rep", "")
		streaming, _ := value(b, "pg.sync.streaming", "")
		return known && waiting == 0 && streaming == 1
	})
}

func TestInsertPassIsSeenOnce(t *testing.T) {
	for _, major := range []int{15, 17} {
		t.Run(map[int]string{15: "15", 17: "17"}[major], func(t *testing.T) {
			p := primary(t, major, nil)
			s := source(t, p.DSN("postgres"))
			good(t, s)
			if err := lab.InsertPass(t.Context(), p, 300_000); err != nil {
				t.Fatal(err)
			}
			passes, ran := 0.0, false
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && passes == 0; time.Sleep(200 * time.Millisecond) {
				b := good(t, s)
				if _, known := value(b, "pg.vacuum.passes", ""); !known && b.Elapsed > 0 {
					t.Fatal("a poll does not say whether a pass ended")
				}
				v, _ := value(b, "pg.vacuum.running", lab.InsertTable)
				ran = ran || v == 1
				n, _ := value(b, "pg.vacuum.passes", lab.InsertTable)
				passes += n
			}
			for range 10 {
				time.Sleep(200 * time.Millisecond)
				n, _ := value(good(t, s), "pg.vacuum.passes", lab.InsertTable)
				passes += n
			}
			if !ran || passes != 1 {
				t.Errorf("seen running: %v, passes told: %v; want true and 1", ran, passes)
			}
		})
	}
}

// A VACUUM by hand is seen by the server like any other, and is no autovacuum.
func TestVacuumByHandIsNoAutovacuum(t *testing.T) {
	p := primary(t, 17, map[string]string{"autovacuum": "off"})
	run1(t, p, "create table by_hand (i int, t text)", "insert into by_hand select g, repeat('x', 200) from generate_series(1, 100000) g")
	s := source(t, p.DSN("postgres"))
	good(t, s)
	watcher, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(context.WithoutCancel(t.Context()))
	inProgress := func() (n int) {
		if err := watcher.QueryRow(t.Context(), "select count(*) from pg_stat_progress_vacuum").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	ended := vacuumSlowly(t, p, "by_hand")
	seen := 0
	for going := true; going; time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			going = false
		default:
		}
		before := inProgress()
		b := good(t, s)
		if before == 1 && inProgress() == 1 {
			seen++
		}
		for _, label := range []string{"", "public.by_hand"} {
			for _, name := range []string{"pg.vacuum.running", "pg.vacuum.passes"} {
				if v, _ := value(b, name, label); v != 0 {
					t.Fatalf("%s{%s} is %v for a VACUUM by hand", name, label, v)
				}
			}
		}
	}
	if seen < 3 {
		t.Errorf("the VACUUM was in progress during %d polls, too few to prove anything", seen)
	}
}

// vacuumSlowly vacuums some 3,000 pages, with 20 ms of rest after every ten.
func vacuumSlowly(t *testing.T, p *lab.Server, table string) <-chan error {
	t.Helper()
	conn, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		defer conn.Close(context.WithoutCancel(t.Context()))
		_, err := conn.Exec(t.Context(), "set vacuum_cost_delay = 20; set vacuum_cost_limit = 200; set vacuum_cost_page_hit = 10; set vacuum_cost_page_dirty = 10")
		if err == nil {
			_, err = conn.Exec(t.Context(), "vacuum "+table)
		}
		ended <- err
	}()
	return ended
}

func TestPassInAnotherDatabaseIsNamed(t *testing.T) {
	p := primary(t, 17, map[string]string{"autovacuum_naptime": "1s"})
	run1(t, p, "create database orders")
	s := source(t, p.DSN("postgres"), slowEach(time.Second), func(o *Options) { o.Databases = []string{AllDatabases} })
	good(t, s)
	if err := p.Exec(t.Context(), "orders",
		`create table "Big Events" (i int, t text) with (autovacuum_enabled = off, autovacuum_vacuum_insert_threshold = 1000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 5)`,
		`insert into "Big Events" select g, repeat('x', 200) from generate_series(1, 200000) g`,
		`alter table "Big Events" set (autovacuum_enabled = on)`); err != nil {
		t.Fatal(err)
	}
	label := `orders.public."Big Events"`
	eventually(t, s, 20*time.Second, "the pass of "+label, func(b store.Batch) bool {
		n, _ := value(b, "pg.vacuum.passes", label)
		return n == 1
	})
	eventually(t, s, 5*time.Second, "the size of "+label, func(b store.Batch) bool {
		kib, _ := value(b, "pg.table.kib", label)
		return kib > 40_000
	})
}

func TestRoleWithoutMonitorIsPartlyBlind(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, `create role "Blind" login`)
	s := source(t, p.DSNAs("Blind", "postgres"), slowEach(500*time.Millisecond))
	good(t, s)
	time.Sleep(200 * time.Millisecond)
	b := good(t, s)
	for _, hidden := range []string{"pg.active", "pg.wait.sync_rep", "pg.vacuum.running", "pg.vacuum.passes", "pg.sync.streaming", "pg.wal_spare_segments"} {
		if signals(b)[hidden] {
			t.Errorf("%s is told though the role can't see it", hidden)
		}
	}
	for _, seen := range []string{"pg.tps", "pg.wal_kib_s", "pg.sync.required"} {
		if !signals(b)[seen] {
			t.Errorf("%s is missing though the role may see it", seen)
		}
	}
	if all := strings.Join(b.Notes, "\n"); !strings.Contains(all, `GRANT pg_monitor TO "Blind";`) {
		t.Errorf("no GRANT in the notes: %q", b.Notes)
	}
	for _, line := range errorsIn(t, p) {
		t.Errorf("we made the server log: %s", line)
	}
	run1(t, p, `grant pg_monitor to "Blind"`)
	eventually(t, s, 5*time.Second, "the GRANT taking effect", func(b store.Batch) bool { return signals(b)["pg.active"] && len(b.Notes) == 0 })
}

func TestStopAndStart(t *testing.T) {
	p := primary(t, 17, nil)
	s := source(t, p.DSN("postgres"))
	good(t, s)
	if err := p.Stop(lab.Fast); err != nil {
		t.Fatal(err)
	}
	if b := collect(t, s); b.Err == "" || s.Connected() {
		t.Fatalf("err %q, connected %v after the server stopped", b.Err, s.Connected())
	}
	if b := collect(t, s); !strings.Contains(b.Err, "connection refused") || !strings.Contains(b.Err, "127.0.0.1") {
		t.Errorf("err %q, want a refused connection with its address", b.Err)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := good(t, s)
	if b.Elapsed != 0 {
		t.Error("the first poll after a restart has rates")
	}
	if texts := events(b, "restart"); len(texts) != 1 || !strings.Contains(texts[0], "was restarted") {
		t.Errorf("restart events %q", texts)
	}
	if good(t, s).Elapsed == 0 {
		t.Error("no rates with the second poll")
	}
}

func TestStatisticsResetMakesAGap(t *testing.T) {
	p := primary(t, 17, nil)
	s := source(t, p.DSN("postgres"))
	good(t, s)
	run1(t, p, "select pg_stat_reset()", "select pg_stat_reset_shared('wal')")
	b := eventually(t, s, 3*time.Second, "the reset", func(b store.Batch) bool { return len(events(b, "reset")) > 0 })
	if len(events(b, "reset")) != 2 {
		t.Errorf("events %q, want one for each kind of statistics", events(b, "reset"))
	}
	for _, gone := range []string{"pg.tps", "pg.wal_fpi_s"} {
		if signals(b)[gone] {
			t.Errorf("%s has a value across a reset", gone)
		}
	}
	if !signals(b)["pg.wal_kib_s"] {
		t.Error("pg.wal_kib_s comes from a position, which no reset touches, yet it is missing")
	}
	if next := good(t, s); !signals(next)["pg.tps"] || len(events(next, "reset")) > 0 {
		t.Error("the gap lasts longer than the one interval")
	}
}

func TestAnotherServerBehindTheAddress(t *testing.T) {
	a, b := primary(t, 17, nil), primary(t, 15, nil)
	s := source(t, a.DSN("postgres"))
	good(t, s)
	s.drop()
	s.cfg.Port = uint16(b.Port) // what a failover does to a DNS name
	got := good(t, s)
	if texts := events(got, "restart"); !got.Restart || len(texts) != 1 || !strings.Contains(texts[0], "another server") {
		t.Errorf("restart %v, events %q", got.Restart, texts)
	}
}

func TestPromotionChangesTheRole(t *testing.T) {
	p := primary(t, 17, nil)
	sb, err := p.AddStandby(t.Context(), "s1", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := source(t, sb.DSN("postgres"))
	if b := good(t, s); b.Role != store.RoleStandby {
		t.Fatalf("role %q", b.Role)
	}
	if err := sb.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, s, 5*time.Second, "a primary with its WAL rate", func(b store.Batch) bool {
		return b.Role == store.RolePrimary && signals(b)["pg.wal_kib_s"] && signals(b)["pg.sync.streaming"]
	})
}

func TestWaitsOfSessions(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create table queue as select 1 as n")
	s := source(t, p.DSN("postgres"))
	quiet := good(t, s)
	if v, ok := value(quiet, "pg.oldest_active_s", ""); !ok || v != 0 {
		t.Errorf("oldest %v, %v on an idle server, want a known 0", v, ok)
	}
	holder, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	if _, err := holder.Exec(t.Context(), "begin; update queue set n = 2"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Exec(ctx, "postgres", "update queue set n = 3") // waits until called off
	}()
	b := eventually(t, s, 5*time.Second, "the session that waits", func(b store.Batch) bool {
		oldest, _ := value(b, "pg.oldest_active_s", "")
		return oldest > 0.5
	})
	for name, want := range map[string]float64{"pg.wait.lock": 1, "pg.active": 1, "pg.wait.sync_rep": 0, "pg.wait.wal": 0} {
		if v, ok := value(b, name, ""); !ok || v != want {
			t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
		}
	}
	cancel()
	<-ended
}

func TestLockedTableDelaysNothing(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create table busy as select g from generate_series(1, 50000) g", "vacuum analyze busy")
	holder, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "lock table busy in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	s := source(t, p.DSN("postgres"), slowEach(100*time.Millisecond))
	for range 5 {
		begun := time.Now()
		b := good(t, s)
		if took := time.Since(begun); took > 400*time.Millisecond {
			t.Errorf("a poll took %s behind a locked table", took)
		}
		if v, _ := value(b, "pg.table.kib", "public.busy"); v < 1000 {
			t.Errorf("the locked table's size is %v KiB", v)
		}
		if len(b.Notes) > 0 {
			t.Errorf("notes %q", b.Notes)
		}
		time.Sleep(150 * time.Millisecond)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestOddNames(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, `create schema "My Schema"`, `create table m (d date) partition by range (d)`)
	names := []string{`public."Table"`, `"My Schema"."a.b.c"`, `public."say ""hi"" '; DROP TABLE x; --"`, `public."таблица_日志_🔥"`,
		`public."%s${IFS}{{.}}<script>alert(1)</script>"`, "public.\"line\nbreak\"",
		`public."` + strings.Repeat("a", 61) + `é"`}
	for _, name := range names {
		run1(t, p, "create table "+name+" as select g from generate_series(1, 2000) g", "vacuum analyze "+name)
	}
	b := good(t, source(t, p.DSN("postgres")))
	for _, name := range names {
		if v, ok := value(b, "pg.table.kib", name); !ok || v <= 0 {
			t.Errorf("%s is not told, or empty (%v KiB)", name, v)
		}
	}
	if signals(b)["pg.table.kib"] {
		if _, ok := value(b, "pg.table.kib", "public.m"); ok {
			t.Error("a partition parent, which has no storage, is told")
		}
	}
	var oid uint32
	conn, err := p.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, name := range names {
		if err := conn.QueryRow(t.Context(), "select $1::text::regclass::oid", pgx.QueryExecModeSimpleProtocol, name).Scan(&oid); err != nil {
			t.Errorf("label %s does not name its table in SQL: %v", name, err)
		}
	}
}

func TestShadowingViewsDoNotFoolUs(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create schema shadow", "create view shadow.pg_stat_activity as select 1 as nonsense", "create view shadow.pg_stat_database as select 1 as nonsense",
		"create function shadow.count(bigint) returns bigint language sql as 'select 1/0::bigint'",
		"alter role postgres set search_path = shadow, pg_catalog")
	s := source(t, p.DSN("postgres"))
	good(t, s)
	b := good(t, s)
	if !signals(b)["pg.active"] || !signals(b)["pg.tps"] || len(b.Notes) > 0 {
		t.Errorf("notes %q, signals %v", b.Notes, signals(b))
	}
}

func TestHangingServerIsLeftInTime(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // takes connections and says nothing
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	s := source(t, "postgres://u:sesame@"+l.Addr().String()+"/db?sslmode=disable", inTime)
	begun := time.Now()
	b := collect(t, s)
	if took := time.Since(begun); took > 1100*time.Millisecond {
		t.Errorf("a server that hangs held us %s", took)
	}
	if !strings.Contains(b.Err, "gave no answer") || strings.Contains(b.Err, "sesame") {
		t.Errorf("err %q", b.Err)
	}
}
