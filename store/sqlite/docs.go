package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"stallbook/store"
)

// kept says how one kind of record that is kept as JSON is told apart and ordered.
type kept[T any] struct {
	id func(T) string
	at func(T) time.Time
}

// one reads the record of an id with a query for its document; store.ErrNotFound
// when there is none. What still waits to be written is newer than the file.
func (k kept[T]) one(ctx context.Context, db *DB, text, id string) (T, error) {
	var out T
	var doc string
	err := db.r.QueryRowContext(ctx, text, id).Scan(&doc)
	switch {
	case err == nil:
		err = json.Unmarshal([]byte(doc), &out)
	case errors.Is(err, sql.ErrNoRows):
		err = store.ErrNotFound
	}
	db.saves.each(func(v any) {
		if waiting, ok := v.(T); ok && k.id(waiting) == id {
			out, err = waiting, nil
		}
	})
	return out, err
}

// list reads the documents of a query, and of those that wait to be written the
// ones that match; newest first.
func (k kept[T]) list(ctx context.Context, db *DB, matches func(T) bool, text string, args ...any) ([]T, error) {
	var out []T
	err := query(ctx, db.r, func(r *sql.Rows) error {
		var doc string
		if err := r.Scan(&doc); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal([]byte(doc), &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	}, text, args...)
	db.saves.each(func(v any) {
		waiting, ok := v.(T)
		if !ok {
			return
		}
		out = slices.DeleteFunc(out, func(o T) bool { return k.id(o) == k.id(waiting) })
		if matches(waiting) {
			out = append(out, waiting)
		}
	})
	slices.SortStableFunc(out, func(a, b T) int { return k.at(b).Compare(k.at(a)) })
	return out, err
}

func incidentDocs() kept[store.Incident] {
	return kept[store.Incident]{func(in store.Incident) string { return in.ID }, func(in store.Incident) time.Time { return in.OpenedAt }}
}

func runDocs() kept[store.StepRun] {
	return kept[store.StepRun]{func(r store.StepRun) string { return r.ID }, func(r store.StepRun) time.Time { return r.At }}
}
