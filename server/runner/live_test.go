package runner

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/runbooks"
	"stallbook/server/lab"
	"stallbook/store"
)

// judged runs one step of the library and fails unless it gives want.
func judged(t *testing.T, lib *runbooks.Library, s *lab.Server, name string, want store.StepResult) {
	t.Helper()
	slug, id, _ := strings.Cut(name, "/")
	book, _ := lib.Get(slug)
	step, _ := book.Step(id)
	var result store.StepResult
	var says string
	for range 50 {
		a, err := answer(t.Context(), dsnAs(s, "watcher"), step, runbooks.Vars{})
		if err != nil {
			t.Fatalf("%s on %s: %v", name, s.Name, err)
		}
		if result, says = step.Expect.Judge(a, nil); result == want {
			t.Logf("%s: %s: %s", name, result, says)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s on %s: %s, %q; want %s", name, s.Name, result, says, want)
}

// TestChecksSeeTheOutage makes the outage of the page and heals it: the checks
// pass while it lasts, and the verifies fail then and pass after.
func TestChecksSeeTheOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	lib := builtin(t)
	primary, standby := pair(t, 17)
	judged(t, lib, primary, "sync-standby-lost/commits-wait", store.Fail)
	judged(t, lib, primary, "sync-standby-lost/who-acknowledges", store.Fail)
	heal, err := lab.SyncOutage(t.Context(), primary, standby)
	if err != nil {
		t.Fatal(err)
	}
	judged(t, lib, primary, "sync-standby-lost/commits-wait", store.Pass)
	judged(t, lib, primary, "sync-standby-lost/who-acknowledges", store.Pass)
	judged(t, lib, primary, "sync-standby-lost/standbys", store.Pass)
	judged(t, lib, standby, "sync-standby-lost/receiver", store.Pass)
	judged(t, lib, primary, "recovery-prefetch/writes-wait", store.Pass)
	judged(t, lib, primary, "sync-standby-lost/writes-resume", store.Fail)
	judged(t, lib, primary, "unexplained-stall/waits", store.Pass)
	judged(t, lib, primary, "unexplained-stall/nothing-stuck", store.Fail)
	if err := heal(t.Context()); err != nil {
		t.Fatal(err)
	}
	judged(t, lib, primary, "sync-standby-lost/writes-resume", store.Pass)
	judged(t, lib, primary, "unexplained-stall/nothing-stuck", store.Pass)
	judged(t, lib, standby, "sync-standby-lost/receiver", store.Fail)
	judged(t, lib, standby, "recovery-prefetch/caught-up", store.Pass)
	judged(t, lib, primary, "sync-standby-lost/spare-standby", store.Fail) // one standby, one required: nothing to spare
}

// TestFixesPassTheirVerify applies fixes and sees the verify step turn.
func TestFixesPassTheirVerify(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	lib := builtin(t)
	primary, standby := pair(t, 16)
	must(t, primary, "DROP TABLE m", "CREATE TABLE grows (id int, t text)",
		"INSERT INTO grows SELECT i, repeat('x', 100) FROM generate_series(1, 300000) i", "VACUUM ANALYZE grows")
	judged(t, lib, primary, "autovacuum-stall/slice-small", store.Fail)
	apply(t, lib, primary, "autovacuum-stall/table-factor", runbooks.Vars{"schema": "public", "table": "grows"})
	judged(t, lib, primary, "autovacuum-stall/slice-small", store.Pass)
	must(t, primary, "ALTER SYSTEM SET log_autovacuum_min_duration = '10min'", "SELECT pg_reload_conf()")
	judged(t, lib, primary, "autovacuum-stall/passes-logged", store.Fail)
	apply(t, lib, primary, "autovacuum-stall/log-passes", nil)
	judged(t, lib, primary, "autovacuum-stall/passes-logged", store.Pass)
	judged(t, lib, standby, "recovery-prefetch/prefetch-is-off", store.Fail)
	apply(t, lib, standby, "recovery-prefetch/prefetch-off", nil)
	judged(t, lib, standby, "recovery-prefetch/prefetch-is-off", store.Pass)
	must(t, primary, "ALTER TABLE grows SET (autovacuum_vacuum_insert_scale_factor = 0.05)",
		"INSERT INTO grows SELECT i, repeat('x', 100) FROM generate_series(1, 100000) i")
	judged(t, lib, primary, "autovacuum-stall/map-current", store.Pass) // the pass comes within naptime, one second here
	judged(t, lib, primary, "autovacuum-stall/recent-pass", store.Pass)
}

func apply(t *testing.T, lib *runbooks.Library, s *lab.Server, name string, vars runbooks.Vars) {
	t.Helper()
	slug, id, _ := strings.Cut(name, "/")
	book, _ := lib.Get(slug)
	step, ok := book.Step(id)
	sql, missing := runbooks.Fill(step.SQL, vars)
	if !ok || len(missing) > 0 {
		t.Fatalf("%s: missing %v", name, missing)
	}
	must(t, s, statements(sql)...)
}

// TestBlockerIsNamed holds a lock and looks for who holds it.
func TestBlockerIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	lib, s := builtin(t), one(t, 14)
	judged(t, lib, s, "unexplained-stall/blockers", store.Fail)
	holder, err := s.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(t.Context())
	if _, err := holder.Exec(t.Context(), "BEGIN; LOCK TABLE public.usage_events IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() { waits <- s.Exec(t.Context(), "postgres", "SELECT count(*) FROM public.usage_events") }()
	judged(t, lib, s, "unexplained-stall/blockers", store.Pass)
	if _, err := holder.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-waits; err != nil {
		t.Error(err)
	}
}

// TestStatementsRunInPsql runs every file without a variable as it stands.
func TestStatementsRunInPsql(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if testing.Short() || err != nil {
		t.Skip("needs psql and starts servers")
	}
	lib := builtin(t)
	primary, standby := pair(t, 17)
	for _, book := range lib.List() {
		for _, step := range book.Steps {
			if step.SQL == "" || step.Kind == runbooks.Fix || step.Extension != "" { // the lab's extension is in a schema of its own
				continue
			}
			file := filepath.Join("..", "..", "runbooks", book.Slug, "sql", step.SQLFile)
			for _, s := range targets(step, primary, standby) {
				out, err := exec.CommandContext(t.Context(), psql, "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", dsnAs(s, "watcher"), "-f", file).CombinedOutput()
				if err != nil {
					t.Errorf("%s on %s: %v\n%s", file, s.Name, err, out)
				}
			}
		}
	}
}

// TestQuotingAgreesWithTheServer compares our quoting with format().
func TestQuotingAgreesWithTheServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := one(t, 18)
	conn, err := s.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	names := []string{"plain", "with space", "UPPER", "1st", "_x", "dollar$", "", "é", "a-b"}
	for _, o := range odd {
		names = append(names, o.table, o.schema)
	}
	rows, err := conn.Query(t.Context(), "SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var w string
		if err := rows.Scan(&w); err != nil {
			t.Fatal(err)
		}
		names = append(names, w)
	}
	if rows.Err() != nil || len(names) < 100 {
		t.Fatalf("%d names, %v", len(names), rows.Err())
	}
	for _, n := range names {
		var ident, literal string
		if err := conn.QueryRow(t.Context(), "SELECT format('%I', $1::text), quote_literal($1::text)", n).Scan(&ident, &literal); err != nil {
			t.Fatal(err)
		}
		if got := runbooks.QuoteLiteral(n); got != literal {
			t.Errorf("literal of %q is %s, the server says %s", n, got, literal)
		}
		if got := runbooks.QuoteIdent(n); got != ident {
			t.Errorf("identifier %q is %s, the server says %s", n, got, ident)
		}
	}
	var n int
	label := `odd."My Schema"."a.b.c"`
	v := runbooks.TableVars(label, nil)
	q, _ := runbooks.Fill("SELECT count(*) FROM pg_class WHERE oid = {{relation|literal}}::regclass", v)
	if err := conn.QueryRow(t.Context(), q).Scan(&n); err != nil || n != 1 || v["database"] != "odd" {
		t.Errorf("%s: %d %v %v", fmt.Sprint(v), n, err, q)
	}
}
