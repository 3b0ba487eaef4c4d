package runner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"stallbook/runbooks"
	"stallbook/server/lab"
	"stallbook/store"
)

func builtin(t *testing.T) *runbooks.Library {
	t.Helper()
	lib, err := runbooks.Load(runbooks.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// TestEveryStatementRuns puts each check and verify of the library to real
// servers of every version, on the roles it names, about each odd table.
func TestEveryStatementRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	lib := builtin(t)
	for major := 14; major <= 18; major++ {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			primary, standby := pair(t, major)
			for _, book := range lib.List() {
				for _, step := range book.Steps {
					if step.SQL == "" || step.Kind == runbooks.Fix {
						continue
					}
					for _, s := range targets(step, primary, standby) {
						t.Run(book.Slug+"/"+step.ID+"/"+s.Name, func(t *testing.T) { stands(t, step, s, major) })
					}
				}
			}
			fixesWork(t, lib, primary, standby, major)
		})
	}
}

func targets(step runbooks.Step, primary, standby *lab.Server) []*lab.Server {
	switch step.On {
	case runbooks.OnPrimary:
		return []*lab.Server{primary}
	case runbooks.OnStandby:
		return []*lab.Server{standby}
	}
	return []*lab.Server{primary, standby}
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// stands runs a step about no table and about each odd one, and asks that every
// {{column}} of its sentences is one of the answer.
func stands(t *testing.T, step runbooks.Step, s *lab.Server, major int) {
	vars := []runbooks.Vars{{}}
	if strings.Contains(step.SQL, "stallbook.table") {
		for _, o := range odd {
			vars = append(vars, runbooks.Vars{"schema": o.schema, "table": o.table})
		}
	}
	for _, v := range vars {
		a, err := answer(t.Context(), dsnAs(s, "watcher"), step, v)
		if old := new(tooOld); major < step.MinVersion && errors.As(err, old) {
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		e := step.Expect
		for _, m := range placeholder.FindAllStringSubmatch(e.Pass+e.Fail+e.Hidden, -1) {
			if m[1] != "rows" && !slices.Contains(a.Columns, m[1]) {
				t.Errorf("the sentences name {{%s}}, the columns are %v", m[1], a.Columns)
			}
		}
		result, says := e.Judge(a, v)
		if says == "" || placeholder.MatchString(strings.ReplaceAll(says, "{{cluster}}", "")) || strings.Contains(says, "can't be judged") {
			t.Errorf("%v: %s: %q", v, result, says)
		}
		if v["table"] != "" && len(a.Rows) == 0 {
			t.Errorf("%v: no row about the table", v)
		}
	}
}

// fixesWork runs every fix and its undo as a superuser, statement by statement
// as psql would.
func fixesWork(t *testing.T, lib *runbooks.Library, primary, standby *lab.Server, major int) {
	for _, book := range lib.List() {
		for _, step := range book.Steps {
			if step.Kind != runbooks.Fix || step.SQL == "" || step.ID == "prefetch-off" && major < 15 {
				continue
			}
			s := targets(step, primary, standby)[0]
			t.Run(book.Slug+"/"+step.ID, func(t *testing.T) {
				for _, o := range odd {
					filled, missing := step.Filled(settings(t, s).With(runbooks.Vars{"schema": o.schema, "table": o.table}))
					if len(missing) > 0 {
						t.Fatal("missing: ", missing)
					}
					sql := []string{"SET search_path = public, extra"} // where setup put the extension
					if strings.Contains(o.table, "; ") {
						sql = append(sql, strings.Split(strings.TrimSpace(filled.SQL), ";\n")...)
					} else {
						sql = append(append(sql, statements(filled.SQL)...), statements(filled.Undo)...)
					}
					if step.ID == "install-prewarm" {
						sql = []string{"SET search_path = public, extra", statements(filled.SQL)[0]} // the other tests use it
					}
					must(t, s, sql...)
					if !strings.Contains(step.SQL, "{{") {
						break
					}
				}
			})
		}
	}
}

// statements splits as psql does, for texts whose names hold no "; " of their
// own, and leaves out what an undo says in words.
func statements(sql string) (out []string) {
	for _, s := range regexp.MustCompile(`;(\n| |$)`).Split(sql, -1) {
		s = strings.TrimSpace(s)
		if regexp.MustCompile(`^(SET|ALTER|SELECT|CREATE|DROP|WITH)\b`).MatchString(s) && !strings.Contains(s, "(PID)") {
			out = append(out, s)
		}
	}
	return out
}

func settings(t *testing.T, s *lab.Server) runbooks.Vars {
	t.Helper()
	conn, err := s.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT 'setting.' || name, current_setting(name) FROM pg_settings")
	if err != nil {
		t.Fatal(err)
	}
	vars := runbooks.Vars{}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error { vars[name] = value; return nil }); err != nil {
		t.Fatal(err)
	}
	return vars
}

// TestBlindRoleGetsUnknown: what a role without pg_monitor can't see is unknown,
// never a zero that reads like an all-clear.
func TestBlindRoleGetsUnknown(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	lib := builtin(t)
	primary, standby := pair(t, 17)
	for _, name := range []string{
		"unexplained-stall/waits", "unexplained-stall/blockers", "unexplained-stall/transactions", "unexplained-stall/checkpoint",
		"unexplained-stall/nothing-stuck", "sync-standby-lost/commits-wait", "sync-standby-lost/who-acknowledges", "sync-standby-lost/standbys",
		"recovery-prefetch/startup-reads", "wal-pool-stall/wal-waits", "wal-pool-stall/spare-segments",
	} {
		slug, id, _ := strings.Cut(name, "/")
		book, _ := lib.Get(slug)
		step, ok := book.Step(id)
		if !ok {
			t.Fatalf("no step %s", name)
		}
		for _, s := range targets(step, primary, standby) {
			a, err := answer(t.Context(), dsnAs(s, "blind"), step, nil)
			result, says := store.ResultUnknown, ""
			if err != nil {
				says = explain(err, step, store.Ref{Cluster: "lab", Instance: s.Name}, login{"blind", "postgres"})
			} else {
				result, says = step.Expect.Judge(a, nil)
			}
			if result != store.ResultUnknown || !strings.Contains(says, "pg_monitor") {
				t.Errorf("%s on %s: %s, %q; want unknown and the GRANT", name, s.Name, result, says)
			}
		}
	}
}
