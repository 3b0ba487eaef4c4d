package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"stallbook/store"
)

// NextIncidentID returns an id that no incident has, a decimal number. It works
// while the disk does not.
func (db *DB) NextIncidentID() string {
	return strconv.FormatInt(db.incident.Add(1), 10)
}

// SaveIncident inserts or replaces an incident. An error of code unavailable
// means that it is kept in memory, is returned by reads and will be written.
func (db *DB) SaveIncident(in store.Incident) error {
	if in.ID == "" {
		return &store.Problem{Code: "invalid", Message: "an incident without an id can't be saved"}
	}
	doc, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("incident %s: %w", in.ID, err)
	}
	return db.save("incident "+in.ID, in, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO incident (id, cluster, instance, runbook, state, opened_ms, doc)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, in.ID, in.Cluster, in.Instance, in.Runbook, string(in.State), in.OpenedAt.UnixMilli(), string(doc))
		return err
	})
}

// Incident returns one incident; store.ErrNotFound when there is none.
func (db *DB) Incident(ctx context.Context, id string) (store.Incident, error) {
	return incidentDocs().one(ctx, db, "SELECT doc FROM incident WHERE id = ?", id)
}

// Incidents lists incidents, newest first.
func (db *DB) Incidents(ctx context.Context, f store.IncidentFilter) ([]store.Incident, error) {
	where, args := incidentWhere(f)
	out, err := incidentDocs().list(ctx, db, func(in store.Incident) bool { return matches(f, in) },
		"SELECT doc FROM incident"+where+" ORDER BY opened_ms DESC", args...)
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, err
}

func incidentWhere(f store.IncidentFilter) (string, []any) {
	var parts []string
	var args []any
	add := func(text string, arg any) {
		parts, args = append(parts, text), append(args, arg)
	}
	switch f.State {
	case "":
	case store.StateOpen:
		parts = append(parts, "state IN ('open', 'clearing')")
	default:
		add("state = ?", string(f.State))
	}
	for _, c := range [][2]string{{"cluster", f.Cluster}, {"instance", f.Instance}, {"runbook", f.Runbook}} {
		if c[1] != "" {
			add(c[0]+" = ?", c[1])
		}
	}
	if !f.From.IsZero() {
		add("opened_ms >= ?", f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		add("opened_ms <= ?", f.To.UnixMilli())
	}
	if len(parts) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(parts, " AND "), args
}

// matches is incidentWhere for an incident in memory.
func matches(f store.IncidentFilter, in store.Incident) bool {
	state := f.State == "" || f.State == in.State || f.State == store.StateOpen && in.Ongoing()
	return state && (f.Cluster == "" || f.Cluster == in.Cluster) &&
		(f.Instance == "" || f.Instance == in.Instance) &&
		(f.Runbook == "" || f.Runbook == in.Runbook) &&
		(f.From.IsZero() || in.OpenedAt.UnixMilli() >= f.From.UnixMilli()) &&
		(f.To.IsZero() || in.OpenedAt.UnixMilli() <= f.To.UnixMilli())
}
