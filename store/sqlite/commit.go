package sqlite

import (
	"context"
	"database/sql"
	"time"
)

// commitSamples takes the queue into memory and brings the file up to date:
// names, one journal row, what was said, blocks that are due, what is old. A
// failed transaction leaves all of it in memory for the next attempt.
func (db *DB) commitSamples(ctx context.Context) error {
	now := db.clock()
	db.absorbQueue(now)
	w, m := &db.writer, &db.mem
	for {
		due := m.due(now.Unix(), sealsPerCommit)
		if len(due) == 0 && !m.dirtyRows() && w.count%tidyEvery != 0 {
			w.count++
			return nil
		}
		var trimTo int64
		err := db.inTx(ctx, func(tx *sql.Tx) (err error) {
			trimTo, err = w.write(ctx, tx, db, due, now)
			return err
		})
		if err != nil {
			return err
		}
		db.committed(due, trimTo)
		if w.count++; len(due) < sealsPerCommit {
			return db.shrink(ctx)
		}
	}
}

// absorbQueue leaves batches in the queue while too many rows wait for the disk:
// the queue is bounded, memory must be too.
func (db *DB) absorbQueue(now time.Time) {
	if len(db.mem.journal.waiting) >= maxWaitingRows {
		return
	}
	batches := db.queue.take()
	db.mu.Lock()
	late := db.mem.absorb(batches, now.Unix())
	db.mu.Unlock()
	db.queue.reuse(batches)
	if late > 0 {
		db.queue.refuse(late)
	}
}

func (m *memory) dirtyRows() bool {
	return len(m.journal.waiting)+len(m.said)+len(m.events) > 0 || m.dirty()
}

// write does one transaction's work. Sealing may name new series (derived ones),
// and names are what the journal needs at a restart, so both are in here.
func (w *writer) write(ctx context.Context, tx *sql.Tx, db *DB, due []*openBlock, now time.Time) (trimTo int64, err error) {
	m := &db.mem
	for _, b := range due {
		if err := w.seal(ctx, tx, db, b, m.journal.next-1); err != nil {
			return 0, err
		}
	}
	if err := m.write(ctx, tx); err != nil {
		return 0, err
	}
	for _, r := range m.journal.waiting {
		if _, err := tx.StmtContext(ctx, w.putJournal).ExecContext(ctx, r.id, r.key, r.blob); err != nil {
			return 0, err
		}
	}
	for _, s := range m.said {
		if _, err := tx.StmtContext(ctx, w.putSaid).ExecContext(ctx, s.inst.id, s.key.kind, s.key.name, s.source, s.atMs, s.value); err != nil {
			return 0, err
		}
	}
	for _, e := range m.events {
		if err := insertEvent(ctx, tx, e); err != nil {
			return 0, err
		}
	}
	if w.count%trimEvery == 0 {
		if trimTo, err = w.trim(ctx, tx, m, due); err != nil {
			return 0, err
		}
	}
	if w.count%tidyEvery == 0 {
		err = w.tidy(ctx, tx, db, now)
	}
	return trimTo, err
}

// committed drops from memory what the file now holds.
func (db *DB) committed(sealed []*openBlock, trimTo int64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	m := &db.mem
	for _, b := range sealed {
		m.release(b)
	}
	m.clean()
	m.journal.waiting, m.said, m.events = m.journal.waiting[:0], nil, nil
	for len(m.journal.keys) > 1 && m.journal.keys[1] <= trimTo {
		m.journal.keys = m.journal.keys[1:]
	}
	m.journal.trimmed = max(m.journal.trimmed, trimTo)
	if db.writer.horizon > m.horizon {
		m.horizon = db.writer.horizon
	}
}

// trim deletes the journal rows that only hold sealed data. It stops at a key
// frame, because the rows after it are differences.
func (w *writer) trim(ctx context.Context, tx *sql.Tx, m *memory, sealing []*openBlock) (int64, error) {
	leaving := map[*openBlock]bool{}
	for _, b := range sealing {
		leaving[b] = true
	}
	first := m.journal.next
	for _, in := range m.instances {
		for _, b := range in.open {
			if !leaving[b] {
				first = min(first, b.firstRow)
			}
		}
	}
	to := int64(0)
	for _, k := range m.journal.keys {
		if k <= first {
			to = k
		}
	}
	if to <= m.journal.trimmed {
		return 0, nil
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM journal WHERE id < ?", to); err != nil {
		return 0, err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM sealed WHERE journal_row < ?", to)
	return to, err
}
