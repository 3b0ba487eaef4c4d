package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"stallbook/runbooks"
	"stallbook/server/lab"
	"stallbook/store"
)

// mine is a user's runbook whose checks meet every obstacle.
var mine = map[string]string{
	"slow":      "SELECT count(*) AS n FROM generate_series(1, 2000000000)",
	"locked":    "SELECT count(*) AS n FROM public.usage_events",
	"no-view":   "SELECT count(*) AS n FROM pg_stat_no_such_view",
	"no-func":   "SELECT pg_no_such_function() AS n",
	"denied":    "SELECT count(*) AS n FROM pg_ls_waldir()",
	"table":     "SELECT count(*) AS n FROM public.usage_events",
	"long":      "SELECT 1 AS n, repeat('é', 5000) AS wide FROM generate_series(1, 1000)",
	"secondary": "SELECT 1 AS n; DROP TABLE public.usage_events",
	"writes":    "SELECT 1 AS n FROM public.sneaky()",
	"filled":    "SELECT count(*) AS n FROM {{relation|ident}}",
	"huge":      "SELECT repeat('x', 20000000) AS n",
	"wrong":     "SELECT pg_current_wal_lsn() AS n",
}

func mylib(t *testing.T) *runbooks.Library {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"page.md", "signature.yaml"} {
		b, err := fs.ReadFile(runbooks.Builtin(), "unexplained-stall/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files["mine/"+name] = &fstest.MapFile{Data: b}
	}
	var y strings.Builder
	y.WriteString("steps:\n")
	add := func(id, sql, more string) {
		files["mine/sql/"+id+".sql"] = &fstest.MapFile{Data: []byte(sql)}
		fmt.Fprintf(&y, "  - {id: %s, kind: check, title: t, on: instance, sql: %s.sql, %sexpect: {column: n, op: '>=', value: '0', pass: 'p {{n}}', fail: 'f {{n}}'}}\n", id, id, more)
	}
	for id, sql := range mine {
		add(id, sql, "")
	}
	add("no-ext", "SELECT 1 AS n", "extension: pg_stat_statements, ")
	add("too-new", "SELECT 1 AS n", "min_version: 99, needs: ['A server of the future.'], ")
	y.WriteString("  - {id: by-hand, kind: check, title: t, on: instance, text: look}\n")
	y.WriteString("  - {id: a-fix, kind: fix, title: t, on: instance, text: do, risk: safe}\n")
	files["mine/steps.yaml"] = &fstest.MapFile{Data: []byte(y.String())}
	lib, err := runbooks.Load(runbooks.Builtin(), runbooks.Dir{Name: "mine", FS: files})
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func newRunner(t *testing.T, dsn string) (*Runner, *kept) {
	lib, k := mylib(t), &kept{}
	return New(Options{
		Library: func() *runbooks.Library { return lib }, Keeper: k, Now: time.Now,
		DSN: func(ref store.Ref) (string, error) {
			if ref.Cluster == "tape" {
				return "", &store.Problem{Code: "unavailable", Message: ref.String() + " is a recording."}
			}
			return dsn, nil
		},
	}), k
}

func ask1(ctx context.Context, r *Runner, step string, vars runbooks.Vars) (store.StepRun, error) {
	return r.Run(ctx, Request{Runbook: "mine", Step: step, Ref: store.Ref{Cluster: "lab", Instance: "lab-1"}, Vars: vars, Who: "ada", Incident: "i1"})
}

func one(t *testing.T, major int) *lab.Server {
	t.Helper()
	bin, err := lab.FindMajor(major)
	if err != nil {
		t.Skip(err)
	}
	s, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	must(t, s, setup()...)
	must(t, s, "CREATE FUNCTION public.sneaky() RETURNS int LANGUAGE sql AS 'DELETE FROM public.usage_events RETURNING 1'")
	return s
}

func TestObstaclesAreNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := one(t, 17)
	for _, c := range []struct{ step, role, says string }{
		{"no-view", "watcher", `relation "pg_stat_no_such_view" does not exist`},
		{"no-func", "watcher", "function pg_no_such_function() does not exist"},
		{"denied", "blind", "run as a superuser: GRANT pg_monitor TO blind"},
		{"table", "blind", "permission denied for table usage_events; run as a superuser: GRANT pg_read_all_data TO blind"},
		{"no-ext", "watcher", "the extension pg_stat_statements is not installed in the database postgres; run there, on the primary: CREATE EXTENSION pg_stat_statements"},
		{"too-new", "watcher", "the server is PostgreSQL 17 and the check needs 99 or later. It needs: A server of the future."},
		{"secondary", "watcher", `Not run: a second statement begins with "drop"`},
		{"writes", "postgres", "a check may only read"},
		{"huge", "watcher", "the answer was too large"},
		{"filled", "watcher", "Not run: it is not known here what to fill in for relation"},
	} {
		t.Run(c.step, func(t *testing.T) {
			r, k := newRunner(t, dsnAs(s, c.role))
			run, err := ask1(t.Context(), r, c.step, nil)
			if err != nil {
				t.Fatal(err)
			}
			if run.Result != store.ResultUnknown || !strings.Contains(run.Says, c.says) {
				t.Errorf("%s, %q; want unknown and %q", run.Result, run.Says, c.says)
			}
			if strings.Contains(run.Says, "SELECT") || strings.Contains(run.Says, "sesame") {
				t.Errorf("%q shows SQL or the password", run.Says)
			}
			if len(k.runs) != 1 || k.runs[0].ID != run.ID || run.Who != "ada" || run.Incident != "i1" || run.Took <= 0 {
				t.Errorf("kept %+v of %+v", k.runs, run)
			}
		})
	}
	t.Run("another database", func(t *testing.T) {
		must(t, s, `CREATE DATABASE "Other Db"`, `REVOKE CONNECT ON DATABASE "Other Db" FROM PUBLIC`)
		r, k := newRunner(t, dsnAs(s, "watcher"))
		vars := runbooks.Vars{"database": "Other Db", "schema": "public", "table": "there"}
		run, err := ask1(t.Context(), r, "filled", vars)
		if want := `GRANT CONNECT ON DATABASE "Other Db" TO watcher`; err != nil || !strings.Contains(run.Says, want) {
			t.Errorf("%q %v; want %q", run.Says, err, want)
		}
		must(t, s, `GRANT CONNECT ON DATABASE "Other Db" TO watcher`)
		if err := s.Exec(t.Context(), "Other%20Db", "CREATE TABLE there AS SELECT 1"); err != nil {
			t.Fatal(err)
		}
		k.err = errors.New("disk full")
		run, err = ask1(t.Context(), r, "filled", vars)
		if err != nil || run.Result != store.Pass || run.Says != "p 1 This run is not kept: the history can't be written now." {
			t.Errorf("%s %q %v", run.Result, run.Says, err)
		}
	})
	t.Run("the table is still there", func(t *testing.T) {
		r, _ := newRunner(t, dsnAs(s, "watcher"))
		for _, o := range odd {
			run, err := ask1(t.Context(), r, "filled", runbooks.Vars{"schema": o.schema, "table": o.table})
			if err != nil || run.Result != store.Pass || run.Says != "p 2,000" {
				t.Errorf("%v: %s %q %v", o, run.Result, run.Says, err)
			}
		}
	})
}

func TestLongAnswersAreCut(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	r, _ := newRunner(t, dsnAs(one(t, 15), "watcher"))
	run, err := ask1(t.Context(), r, "long", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Rows) != maxRows || !run.More || run.Result != store.Pass {
		t.Errorf("%d rows, more %t, %s; want %d, true, pass", len(run.Rows), run.More, run.Result, maxRows)
	}
	if cell := run.Rows[0][1]; len(cell) > maxCell+len("…") || !strings.HasSuffix(cell, "é…") {
		t.Errorf("a cell of %d bytes ends with %q", len(cell), cell[len(cell)-6:])
	}
}

func TestTimeoutAndLock(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := one(t, 18)
	r, _ := newRunner(t, dsnAs(s, "watcher"))
	conn, err := s.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE public.usage_events IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	run, err := ask1(t.Context(), r, "locked", nil)
	if err != nil || run.Result != store.ResultUnknown || !strings.Contains(run.Says, "waited for a lock") || time.Since(begun) > 2*time.Second {
		t.Errorf("behind a lock: %s %q %v after %s", run.Result, run.Says, err, time.Since(begun))
	}
	begun = time.Now()
	var wg sync.WaitGroup
	wg.Go(func() {
		run, err := ask1(t.Context(), r, "slow", nil)
		if took := time.Since(begun); err != nil || !strings.Contains(run.Says, "longer than 5 s") || took < 4*time.Second || took > 7*time.Second {
			t.Errorf("slow: %q %v after %s", run.Says, err, took)
		}
	})
	time.Sleep(500 * time.Millisecond)
	second, err := ask1(t.Context(), r, "no-func", nil)
	if err != nil || time.Since(begun) < 4*time.Second {
		t.Errorf("a second check did not wait for its turn: %q %v after %s", second.Says, err, time.Since(begun))
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	release, _ := r.take(ctx, store.Ref{Cluster: "lab", Instance: "lab-1"})
	cancel()
	if _, err := ask1(ctx, r, "no-func", nil); err == nil || !strings.Contains(err.Error(), "Other checks are running") {
		t.Errorf("while another runs: %v", err)
	}
	release()
}

func TestUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := closed.Addr().(*net.TCPAddr)
	closed.Close()
	for dsn, says := range map[string]string{
		fmt.Sprintf("postgres://u:sesame@127.0.0.1:%d/d", addr.Port): "the connection was refused",
		"postgres://u:sesame@no-such-host.invalid/d":                 "its host name is not known",
		"postgres://u:sesame@h:not-a-port/d":                         "the connection string can't be read",
	} {
		r, _ := newRunner(t, dsn)
		run, err := ask1(t.Context(), r, "no-func", nil)
		if err != nil || run.Result != store.ResultUnknown || !strings.Contains(run.Says, says) || strings.Contains(run.Says, "sesame") {
			t.Errorf("%s: %q %v; want %q", dsn, run.Says, err, says)
		}
	}
}

func TestHangingServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the kernel and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, _ := newRunner(t, fmt.Sprintf("postgres://u@127.0.0.1:%d/d?sslmode=disable", l.Addr().(*net.TCPAddr).Port))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	run, err := ask1(ctx, r, "no-func", nil)
	if err != nil || !strings.Contains(run.Says, "the server hangs") {
		t.Errorf("%q %v", run.Says, err)
	}
}

func TestNotACheck(t *testing.T) {
	r, k := newRunner(t, "")
	for step, says := range map[string]string{
		"by-hand": "is no check that runs", "a-fix": "is no check that runs", "missing": "has no step",
	} {
		if _, err := ask1(t.Context(), r, step, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", step, err, says)
		}
	}
	if _, err := r.Run(t.Context(), Request{Runbook: "nope"}); err == nil || !strings.Contains(err.Error(), "no runbook nope") {
		t.Errorf("unknown runbook: %v", err)
	}
	if len(k.runs) != 0 {
		t.Errorf("%d runs were kept of requests that make no sense", len(k.runs))
	}
	run, err := r.Run(t.Context(), Request{Runbook: "mine", Step: "no-func", Ref: store.Ref{Cluster: "tape", Instance: "p"}})
	if err != nil || run.Result != store.ResultUnknown || run.Says != "Not run: tape/p is a recording." || len(k.runs) != 1 {
		t.Errorf("a recording: %q %v, kept %d", run.Says, err, len(k.runs))
	}
}
