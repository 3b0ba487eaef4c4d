package postgres

import (
	"slices"
	"strings"
)

// trace is one thing a managed service leaves in its server.
type trace struct {
	Kind string `db:"kind"` // setting (its prefix), role, socket
	Name string `db:"name"`
}

// platformOf names the home of a server from its traces: aurora, rds, cloudsql,
// alloydb, azure, neon, supabase, cnpg, or plain when none is there.
func platformOf(traces []trace) string {
	has := func(kind, name string) bool { return slices.Contains(traces, trace{kind, name}) }
	switch {
	case has("setting", "apg"), has("setting", "aurora"):
		return "aurora"
	case has("setting", "rds"), has("role", "rdsadmin"):
		return "rds"
	case has("setting", "alloydb"), has("role", "alloydbsuperuser"):
		return "alloydb"
	case has("setting", "cloudsql"), has("role", "cloudsqlsuperuser"):
		return "cloudsql"
	case has("setting", "azure"), has("role", "azure_pg_admin"):
		return "azure"
	case has("setting", "neon"), has("role", "neon_superuser"):
		return "neon"
	case has("role", "supabase_admin"):
		return "supabase"
	case slices.ContainsFunc(traces, func(t trace) bool { return t.Kind == "socket" && strings.Contains(t.Name, "/controller/run") }):
		return "cnpg"
	}
	return "plain"
}
