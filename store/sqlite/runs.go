package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"stallbook/store"
)

// SaveRun inserts or replaces the run of a step; see SaveIncident for errors.
func (db *DB) SaveRun(run store.StepRun) error {
	if run.ID == "" {
		return &store.Problem{Code: "invalid", Message: "a run without an id can't be saved"}
	}
	doc, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, err)
	}
	return db.save("run "+run.ID, run, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO run (id, incident, cluster, instance, at_ms, doc) VALUES (?, ?, ?, ?, ?, ?)",
			run.ID, run.Incident, run.Cluster, run.Instance, run.At.UnixMilli(), string(doc))
		return err
	})
}

// Run returns one run; store.ErrNotFound when there is none.
func (db *DB) Run(ctx context.Context, id string) (store.StepRun, error) {
	return runDocs().one(ctx, db, "SELECT doc FROM run WHERE id = ?", id)
}

// Runs lists runs, newest first: of an incident when one is named, else of an
// instance or cluster, else all. Limit 0 means 100.
func (db *DB) Runs(ctx context.Context, incident string, ref store.Ref, limit int) ([]store.StepRun, error) {
	if limit <= 0 {
		limit = 100
	}
	var parts []string
	var args []any
	for _, c := range [][2]string{{"incident", incident}, {"cluster", ref.Cluster}, {"instance", ref.Instance}} {
		if c[1] != "" {
			parts, args = append(parts, c[0]+" = ?"), append(args, c[1])
		}
	}
	text := "SELECT doc FROM run"
	if len(parts) > 0 {
		text += " WHERE " + strings.Join(parts, " AND ")
	}
	matches := func(r store.StepRun) bool {
		return (incident == "" || r.Incident == incident) && (ref.Cluster == "" || r.Cluster == ref.Cluster) &&
			(ref.Instance == "" || r.Instance == ref.Instance)
	}
	out, err := runDocs().list(ctx, db, matches, text+" ORDER BY at_ms DESC LIMIT ?", append(args, limit)...)
	return out[:min(limit, len(out))], err
}
