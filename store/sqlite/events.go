package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"stallbook/store"
)

func insertEvent(ctx context.Context, tx *sql.Tx, e store.Event) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO event (cluster, instance, at_ms, kind, text, incident) VALUES (?, ?, ?, ?, ?, ?)",
		e.Cluster, e.Instance, e.At.UnixMilli(), e.Kind, e.Text, e.Incident)
	return err
}

// AddEvent adds a line to an instance's timeline; see SaveIncident for errors.
func (db *DB) AddEvent(e store.Event) error {
	return db.save(fmt.Sprintf("event %s %d %s %s", e.Ref, e.At.UnixNano(), e.Kind, e.Text), e, func(ctx context.Context, tx *sql.Tx) error {
		return insertEvent(ctx, tx, e)
	})
}

// Events lists the timeline between from and to, both included, oldest first. A
// ref without an instance means the whole cluster, an empty one everything.
func (db *DB) Events(ctx context.Context, ref store.Ref, from, to time.Time) ([]store.Event, error) {
	lo, hi := from.UnixMilli(), to.UnixMilli()
	var out []store.Event
	err := query(ctx, db.r, func(r *sql.Rows) error {
		var e store.Event
		var at int64
		if err := r.Scan(&e.Cluster, &e.Instance, &at, &e.Kind, &e.Text, &e.Incident); err != nil {
			return err
		}
		e.At = time.UnixMilli(at).UTC()
		out = append(out, e)
		return nil
	}, `SELECT cluster, instance, at_ms, kind, text, incident FROM event
		WHERE (?1 = '' OR cluster = ?1) AND (?2 = '' OR instance = ?2) AND at_ms BETWEEN ?3 AND ?4 ORDER BY at_ms, id`,
		ref.Cluster, ref.Instance, lo, hi)
	db.saves.each(func(v any) {
		e, ok := v.(store.Event)
		at := e.At.UnixMilli()
		if ok && (ref.Cluster == "" || ref.Cluster == e.Cluster) && (ref.Instance == "" || ref.Instance == e.Instance) && at >= lo && at <= hi {
			out = append(out, e)
		}
	})
	slices.SortStableFunc(out, func(a, b store.Event) int { return a.At.Compare(b.At) })
	return out, err
}
