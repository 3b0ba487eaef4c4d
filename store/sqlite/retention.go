package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Retention works in small steps, one a minute, so that no commit takes long.
const (
	dropPerTidy = 2000 // blocks; a day of fourteen instances
	// capShare of MaxBytes is what data may fill; the rest is for the WAL.
	capShare = 0.9
)

// tidy applies retention by age and folds one finished day of one instance.
func (w *writer) tidy(ctx context.Context, tx *sql.Tx, db *DB, now time.Time) error {
	if err := w.foldOldest(ctx, tx, now); err != nil {
		return err
	}
	rawSlot := floorDiv(now.Add(-db.keep.Raw).Unix(), blockSeconds)
	if err := w.dropRaw(ctx, tx, db, rawSlot); err != nil {
		return err
	}
	oldest := now.Add(-db.keep.Rollup)
	day := floorDiv(oldest.Unix(), daySeconds)
	if _, err := tx.ExecContext(ctx, "DELETE FROM rollup WHERE id IN (SELECT id FROM rollup WHERE id < ? LIMIT ?)", rollupID(day, 0), dropPerTidy); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM event WHERE at_ms < ?", oldest.UnixMilli()); err != nil {
		return err
	}
	// What was said stays as long as it was the last word at a moment we still keep.
	_, err := tx.ExecContext(ctx, `DELETE FROM said WHERE id IN (
		SELECT old.id FROM said old WHERE old.at_ms < ?1 AND EXISTS (
			SELECT 1 FROM said n WHERE n.instance = old.instance AND n.kind = old.kind AND n.name = old.name
			AND n.at_ms > old.at_ms AND n.at_ms <= ?1))`, now.Add(-db.keep.Raw).UnixMilli())
	return err
}

// dropRaw deletes sealed blocks before a slot, some at a time, and remembers how
// far it came: from there on only roll-ups answer.
func (w *writer) dropRaw(ctx context.Context, tx *sql.Tx, db *DB, slot int64) error {
	var first sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT min(id) FROM block").Scan(&first); err != nil || !first.Valid || slotOf(first.Int64) >= slot {
		return err
	}
	var last sql.NullInt64
	err := tx.QueryRowContext(ctx, "SELECT id FROM block WHERE id < ? ORDER BY id LIMIT 1 OFFSET ?", blockID(slot, 0), dropPerTidy).Scan(&last)
	if err == nil {
		slot = max(slotOf(last.Int64), slotOf(first.Int64)+1)
	} else if err != sql.ErrNoRows {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM block WHERE id < ?", blockID(slot, 0)); err != nil {
		return err
	}
	w.horizon = max(w.horizon, slot)
	_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO mark (name, value) VALUES ('horizon', ?)", w.horizon)
	return err
}

// shrink keeps the file under MaxBytes: the oldest raw blocks go first, then the
// oldest roll-ups, and incremental_vacuum gives the pages back to the file
// system. Retention by age does not: freed pages are used again.
func (db *DB) shrink(ctx context.Context) error {
	if db.keep.MaxBytes <= 0 {
		return nil
	}
	limit := int64(float64(db.keep.MaxBytes) * capShare)
	pages, free, size, err := db.pages(ctx)
	if err != nil || (pages-free)*size <= limit && db.measure() <= db.keep.MaxBytes {
		return err
	}
	for range 50 {
		if (pages-free)*size <= limit {
			break
		}
		more, err := db.dropOldest(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if pages, free, size, err = db.pages(ctx); err != nil {
			return err
		}
	}
	return db.giveBack(ctx, pages-limit/size)
}

func (db *DB) pages(ctx context.Context) (pages, free, size int64, err error) {
	for _, p := range []struct {
		name string
		to   *int64
	}{{"page_count", &pages}, {"freelist_count", &free}, {"page_size", &size}} {
		if err := db.w.QueryRowContext(ctx, "PRAGMA "+p.name).Scan(p.to); err != nil {
			return 0, 0, 0, err
		}
	}
	return pages, free, size, nil
}

// dropOldest deletes the ten oldest minutes of all instances, or the oldest day
// of roll-ups when no block is left; more is false when there is nothing to drop.
func (db *DB) dropOldest(ctx context.Context) (more bool, err error) {
	err = db.inTx(ctx, func(tx *sql.Tx) error {
		var block, roll sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT min(id) FROM block").Scan(&block); err != nil {
			return err
		}
		if block.Valid {
			more = true
			return db.writer.dropRaw(ctx, tx, db, slotOf(block.Int64)+1)
		}
		if err := tx.QueryRowContext(ctx, "SELECT min(id) FROM rollup").Scan(&roll); err != nil || !roll.Valid {
			return err
		}
		more = true
		_, err := tx.ExecContext(ctx, "DELETE FROM rollup WHERE id < ?", (roll.Int64>>32+1)<<32)
		return err
	})
	db.mu.Lock()
	db.mem.horizon = max(db.mem.horizon, db.writer.horizon)
	db.mu.Unlock()
	return more, err
}

// giveBack returns free pages to the file system. The pragma frees a page a
// step, so its rows are read to the end.
func (db *DB) giveBack(ctx context.Context, pages int64) error {
	if pages > 0 {
		rows, err := db.w.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	if db.measure() <= db.keep.MaxBytes {
		return nil
	}
	var busy, inWAL, moved int64 // a reader may hold the WAL; the next minute tries again
	return db.w.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inWAL, &moved)
}
