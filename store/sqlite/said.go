package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"stallbook/store"
)

// saidBetween returns what sources said in words as batches without samples: the
// state at from (roles and facts dated when they began, an error that lasted at
// from itself) and every change up to to.
func (db *DB) saidBetween(ctx context.Context, from, to time.Time, insts []readInstance) ([]store.Batch, error) {
	var out []store.Batch
	for _, in := range insts {
		err := query(ctx, db.r, func(r *sql.Rows) error {
			var kind, name, source, value string
			var at, before int64
			if err := r.Scan(&kind, &name, &source, &value, &at, &before); err != nil {
				return err
			}
			b := store.Batch{Ref: in.ref, Source: source, At: time.UnixMilli(at).UTC()}
			if saidToBatch(&b, kind, name, value, before != 0, from) {
				out = append(out, b)
			}
			return nil
		}, `SELECT kind, name, source, value, max(at_ms) AS at_ms, 1 FROM said WHERE instance = ?1 AND at_ms <= ?2 GROUP BY kind, name
			UNION ALL SELECT kind, name, source, value, at_ms, 0 FROM said WHERE instance = ?1 AND at_ms > ?2 AND at_ms <= ?3
			ORDER BY at_ms`, in.id, from.UnixMilli(), to.UnixMilli()+999)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// saidToBatch fills b; false when the row says nothing to a Window.
func saidToBatch(b *store.Batch, kind, name, value string, before bool, from time.Time) bool {
	switch kind {
	case saidRole:
		b.Role = store.Role(value)
	case saidFact:
		b.Facts = map[string]string{name: value}
	case saidError:
		if value == "" {
			return false // the samples that follow say that it is well again
		}
		if before {
			b.At = from
		}
		b.Err = value
	case saidNotes:
		b.Notes = unpackNotes(value)
		return true
	case saidRestart:
		b.Restart = true
		return !before
	}
	return true
}

// withNotes repeats each source's notes on its batches, as a source does, and
// takes out the batches that carried nothing else.
func withNotes(all, said []store.Batch) []store.Batch {
	if !slices.ContainsFunc(said, func(b store.Batch) bool { return len(b.Notes) > 0 }) {
		return slices.DeleteFunc(all, isNotes)
	}
	type key struct {
		ref    store.Ref
		source string
	}
	now := map[key][]string{}
	for i := range all {
		k := key{all[i].Ref, all[i].Source}
		if isNotes(all[i]) {
			now[k] = all[i].Notes
		} else if all[i].Err == "" {
			all[i].Notes = now[k]
		}
	}
	return slices.DeleteFunc(all, isNotes)
}

// isNotes: a batch that only says what its source can't see.
func isNotes(b store.Batch) bool {
	return len(b.Samples) == 0 && b.Err == "" && b.Role == store.RoleUnknown && b.Facts == nil && !b.Restart
}
