package postgres

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestInspect(t *testing.T) {
	p := primary(t, 17, nil)
	run1(t, p, "create role blind login", "create extension pg_prewarm", "create database other")
	full := Inspect(t.Context(), p.DSN("postgres"))
	if full.Problem != "" || full.Version != p.Binaries.Version || full.Role != "primary" || full.Platform != "plain" || full.System == "" || full.StartedAt.IsZero() {
		t.Errorf("report %+v", full)
	}
	if len(full.Missing) != 1 || !strings.Contains(full.Missing[0].What, "pg_stat_statements") {
		t.Errorf("a superuser misses %+v, want pg_stat_statements alone", full.Missing)
	}
	blind := Inspect(t.Context(), p.DSNAs("blind", "postgres"))
	if len(blind.Missing) != 6 {
		t.Errorf("missing %+v, want five things hidden and one extension", blind.Missing)
	}
	for _, m := range blind.Missing[:5] {
		if m.Mend != "GRANT pg_monitor TO blind;" {
			t.Errorf("%s is mended by %q", m.What, m.Mend)
		}
	}
	if text, err := json.Marshal(blind); err != nil || !strings.Contains(string(text), `"role":"primary"`) {
		t.Errorf("JSON %s, %v", text, err)
	}
	for name, dsn := range map[string]string{
		"no such database": p.DSN("nowhere"),
		"no such role":     p.DSNAs("nobody", "postgres"),
		"no such port":     "host=127.0.0.1 port=1 user=postgres password=sesame",
		"not a DSN":        "postgres://u:ses%ame@h/",
	} {
		r := Inspect(t.Context(), dsn)
		if r.Problem == "" || strings.Contains(r.Problem, "sesame") || strings.Contains(r.Problem, "ses%") {
			t.Errorf("%s: problem %q", name, r.Problem)
		}
		t.Log(name, "->", r.Problem)
	}
}
