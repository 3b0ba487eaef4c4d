package runner

import (
	"context"
	"fmt"
	"testing"

	"stallbook/runbooks"
	"stallbook/server/lab"
	"stallbook/store"
)

// odd are the table names of people who quote; every check must stand them.
var odd = []struct{ schema, table string }{
	{"public", "usage_events"},
	{"public", "Table"},
	{"My Schema", "a.b.c"},
	{"public", `say "hi" '; DROP TABLE x; --`},
	{"public", "таблица_日志_🔥"},
	{"public", "%s${IFS}{{.}}<script>alert(1)</script>{{cluster}}"},
	{"public", "line\nbreak"},
	{"public", `back\slash`},
	{"select", "user"},
	{"public", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé"}, // 63 bytes
}

// pair starts a primary and a standby of one version with the odd tables in it.
func pair(t *testing.T, major int) (primary, standby *lab.Server) {
	t.Helper()
	bin, err := lab.FindMajor(major)
	if err != nil {
		t.Skip(err)
	}
	primary, err = lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Checksums: true, Settings: map[string]string{"fsync": "off", "autovacuum_naptime": "1s"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := primary.Close(); err != nil {
			t.Error(err)
		}
	})
	must(t, primary, setup()...)
	standby, err = primary.AddStandby(t.Context(), "standby", nil)
	if err != nil {
		t.Fatal(err)
	}
	return primary, standby
}

func setup() []string {
	sql := []string{
		"CREATE ROLE watcher LOGIN", "GRANT pg_monitor, pg_read_all_data TO watcher", "CREATE ROLE blind LOGIN",
		`CREATE SCHEMA "My Schema"`, `CREATE SCHEMA "select"`, "CREATE SCHEMA extra", "CREATE EXTENSION pg_prewarm SCHEMA extra",
		"CREATE TABLE m (d date, t text) PARTITION BY RANGE (d)",
		"CREATE TABLE m1 PARTITION OF m FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')",
		"INSERT INTO m SELECT '2026-02-02', repeat('x', 100) FROM generate_series(1, 1000)", "ANALYZE m",
	}
	for _, o := range odd {
		name := runbooks.QuoteIdent(o.schema) + "." + runbooks.QuoteIdent(o.table)
		sql = append(sql, "CREATE TABLE "+name+" (id int PRIMARY KEY, t text)",
			"INSERT INTO "+name+" SELECT i, repeat('x', 50) FROM generate_series(1, 2000) i", "ANALYZE "+name)
	}
	return sql
}

func must(t *testing.T, s *lab.Server, sql ...string) {
	t.Helper()
	if err := s.Exec(t.Context(), "postgres", sql...); err != nil {
		t.Fatal(err)
	}
}

// dsnAs is how a role reaches a server of the lab, which asks for no password.
func dsnAs(s *lab.Server, role string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=postgres password=sesame", s.Port, role)
}

// kept is a Keeper in memory.
type kept struct {
	runs []store.StepRun
	err  error
}

func (k *kept) SaveRun(r store.StepRun) error {
	k.runs = append(k.runs, r)
	return k.err
}

func answer(ctx context.Context, dsn string, step runbooks.Step, vars runbooks.Vars) (runbooks.Answer, error) {
	cfg, err := config(dsn, vars)
	if err != nil {
		return runbooks.Answer{}, err
	}
	sql, missing := runbooks.Fill(step.SQL, vars)
	if len(missing) > 0 {
		return runbooks.Answer{}, fmt.Errorf("%v is missing", missing)
	}
	a, _, err := ask(ctx, cfg, step, sql, vars)
	return a, err
}
