package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	var out store.StepRun
	var doc string
	err := db.r.QueryRowContext(ctx, "SELECT doc FROM run WHERE id = ?", id).Scan(&doc)
	switch {
	case err == nil:
		err = json.Unmarshal([]byte(doc), &out)
	case errors.Is(err, sql.ErrNoRows):
		err = store.ErrNotFound
	}
	db.saves.each(func(v any) {
		if run, ok := v.(store.StepRun); ok && run.ID == id {
			out, err = run, nil
		}
	})
	return out, err
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
	var out []store.StepRun
	err := query(ctx, db.r, func(r *sql.Rows) error {
		var doc string
		if err := r.Scan(&doc); err != nil {
			return err
		}
		var run store.StepRun
		if err := json.Unmarshal([]byte(doc), &run); err != nil {
			return err
		}
		out = append(out, run)
		return nil
	}, text+" ORDER BY at_ms DESC LIMIT ?", append(args, limit)...)
	db.saves.each(func(v any) {
		run, ok := v.(store.StepRun)
		if !ok || incident != "" && run.Incident != incident || ref.Cluster != "" && run.Cluster != ref.Cluster ||
			ref.Instance != "" && run.Instance != ref.Instance {
			return
		}
		out = append(slices.DeleteFunc(out, func(o store.StepRun) bool { return o.ID == run.ID }), run)
	})
	slices.SortStableFunc(out, func(a, b store.StepRun) int { return b.At.Compare(a.At) })
	return out[:min(limit, len(out))], err
}
