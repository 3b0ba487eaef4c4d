package runbooks

import (
	"strings"
	"testing"
)

func TestLintFindsWhatIsMissing(t *testing.T) {
	lib, err := Load(Builtin(), dir("sloppy"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Lint(lib) {
		if strings.HasPrefix(f.File, "testdata/sloppy/") {
			got = append(got, strings.TrimPrefix(f.String(), "testdata/sloppy/sloppy/"))
		}
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		`page.md: brief has 2 sentences`,
		`page.md: versions is missing`,
		`page.md: section "## Undo" is missing or empty`,
		`page.md: severity risk is less than the signature's degraded`,
		`page.md: looks_like: the library has no runbook "wal-pol-stall"; did you mean wal-pool-stall?`,
		`page.md: a link in section What you see: the library has no runbook "nowhere"`,
		`page.md: section "What you see" holds HTML`,
		`signature.yaml: explains: the library has no runbook "unexplained-stal"; did you mean unexplained-stall?`,
		`steps.yaml: there is no verify step`,
		`steps.yaml: fix "bare" has no undo`,
		`steps.yaml: fix "bare" has no verify`,
		`steps.yaml: fix "bare" has no takes`,
		`steps.yaml: fix "bare" has no effect`,
		`steps.yaml: fix "bare" has no precondition`,
		`steps.yaml: step "bare": unknown variable {{tabel}}; did you mean table?`,
		`steps.yaml: step "bare": unknown form "idnt" in {{table|idnt}}; did you mean ident?`,
		`steps.yaml: step "bare": {{ }} is no variable`,
		`steps.yaml: step "acts": the pass sentence shows no value; put {{n}} into it`,
		`sql/acts.sql: the function pg_terminate_backend acts on the server`,
		`sql/bare.sql: in SQL write {{table|ident}} or {{table|literal}}`,
		`sql/unused.sql: no step reads this file`,
		`fixtures/expect.yaml: there is no recording sloppy/b.jsonl; did you mean sloppy/a.jsonl?`,
		`fixtures/expect.yaml: sloppy/a.jsonl is listed under none of match, quiet, unknown`,
		`fixtures/expect.yaml: no recording under quiet`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log("got:\n" + all)
	}
}

func TestReadOnly(t *testing.T) {
	for _, ok := range []string{
		"SELECT 1", "select 1;", "-- why\nWITH a AS (SELECT 1) SELECT * FROM a; -- done", "SHOW server_version",
		"SELECT 'DROP TABLE x; --' || $$; DELETE$$ || $a$;$a$ || E'it\\'s; UPDATE'",
		`SELECT "delete", n_tup_upd FROM "update" /* ; /* nested; */ INSERT */`,
		"SELECT a[1:2], b::text, pg_stat_get_tuples_updated(1) FROM c",
	} {
		if err := ReadOnly(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for bad, why := range map[string]string{
		"":                       "no statement",
		"-- only a comment":      "no statement",
		"UPDATE a SET b = 1":     `begins with "update"`,
		"SELECT 1; DROP TABLE a": `second statement begins with "drop"`,
		"SELECT 1;;":             "second statement",
		"WITH d AS (DELETE FROM a RETURNING 1) SELECT * FROM d": "DELETE changes something",
		"SELECT * INTO b FROM a":                                "INTO changes something",
		"SELECT * FROM a FOR UPDATE":                            "UPDATE changes something",
		"SELECT pg_reload_conf()":                               "pg_reload_conf acts",
		"SELECT pg_catalog.pg_sleep (9)":                        "pg_sleep acts",
		`SELECT "pg_terminate_backend"(1)`:                      "pg_terminate_backend acts",
		"SELECT lo_import('/etc/passwd')":                       "lo_import acts",
		"SELECT pg_stat_reset_shared('wal')":                    "pg_stat_reset_shared acts",
		"SELECT pg_advisory_lock(1)":                            "pg_advisory_lock acts",
		"SELECT 'open":                                          "is not closed",
		"SELECT $x$ open":                                       "is not closed",
		"SELECT /* open":                                        "is not closed",
		"\\d\nSELECT 1":                                         "for psql",
		"SELECT :'table'":                                       "psql variable",
		"DO $$ BEGIN END $$":                                    `begins with "do"`,
	} {
		if err := ReadOnly(bad); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v; want %q", bad, err, why)
		}
	}
}
