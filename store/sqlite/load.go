package sqlite

import (
	"context"
	"database/sql"

	"stallbook/store"
)

// load reads back what a stopped or killed program left: names, the last word on
// everything, and the open blocks from the journal.
func (db *DB) load(ctx context.Context) error {
	db.mem.init()
	for _, step := range []func(context.Context) error{
		db.forgetSeries, db.loadNames, db.loadSaid, db.loadMarks, db.loadJournal, db.loadIncidentNumber,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// forgetSeries drops names that nothing refers to any more: tables come and go.
func (db *DB) forgetSeries(ctx context.Context) error {
	oldest := floorDiv(db.clock().Add(-max(db.keep.Rollup, db.keep.Raw)).Unix(), daySeconds)
	_, err := db.w.ExecContext(ctx, "DELETE FROM series WHERE seen < ?", oldest-1)
	if isPassing(err) {
		return nil // next time
	}
	return err
}

// query calls scan for each row; scan reads the row's columns.
func query(ctx context.Context, db *sql.DB, scan func(*sql.Rows) error, text string, args ...any) error {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (db *DB) loadNames(ctx context.Context) error {
	m := &db.mem
	byID := map[int64]*instance{}
	err := query(ctx, db.w, func(r *sql.Rows) error {
		var id int64
		var ref store.Ref
		err := r.Scan(&id, &ref.Cluster, &ref.Instance)
		byID[id] = m.addInstance(id, ref)
		return err
	}, "SELECT id, cluster, name FROM instance")
	if err != nil {
		return err
	}
	err = query(ctx, db.w, func(r *sql.Rows) error {
		var id, inst int64
		var source string
		if err := r.Scan(&id, &inst, &source); err != nil {
			return err
		}
		if in := byID[inst]; in != nil {
			m.addStream(id, in, source)
		}
		return nil
	}, "SELECT id, instance, source FROM stream")
	if err != nil {
		return err
	}
	return query(ctx, db.w, func(r *sql.Rows) error {
		var id, stream, seen int64
		var name, label string
		if err := r.Scan(&id, &stream, &name, &label, &seen); err != nil {
			return err
		}
		if s := m.byID[stream]; s != nil {
			m.addSeries(id, s, name, label, seen)
		}
		return nil
	}, "SELECT id, stream, signal, label, seen FROM series")
}

func (db *DB) loadSaid(ctx context.Context) error {
	return query(ctx, db.w, func(r *sql.Rows) error {
		var ref store.Ref
		var k saidKey
		var v saidValue
		if err := r.Scan(&ref.Cluster, &ref.Instance, &k.kind, &k.name, &v.value, &v.atMs); err != nil {
			return err
		}
		if in := db.mem.instances[ref]; in != nil {
			in.said[k] = v
		}
		return nil
	}, `SELECT i.cluster, i.name, s.kind, s.name, s.value, max(s.at_ms)
		FROM said s JOIN instance i ON i.id = s.instance GROUP BY s.instance, s.kind, s.name`)
}

func (db *DB) loadMarks(ctx context.Context) error {
	var horizon sql.NullInt64
	if err := db.w.QueryRowContext(ctx, "SELECT max(value) FROM mark WHERE name = 'horizon'").Scan(&horizon); err != nil {
		return err
	}
	db.mem.horizon, db.writer.horizon = horizon.Int64, horizon.Int64
	var last sql.NullInt64
	err := db.w.QueryRowContext(ctx, "SELECT max(r) FROM (SELECT max(id) r FROM journal UNION ALL SELECT max(journal_row) FROM sealed)").Scan(&last)
	db.mem.journal.next = last.Int64 + 1
	return err
}

// loadJournal fills the open blocks again. Rows that a sealed block includes are
// skipped, so that nothing is counted twice.
func (db *DB) loadJournal(ctx context.Context) error {
	m, now := &db.mem, db.clock().Unix()
	sealed := map[int64]int64{}
	err := query(ctx, db.w, func(r *sql.Rows) error {
		var id, row int64
		err := r.Scan(&id, &row)
		sealed[id] = row
		return err
	}, "SELECT block, journal_row FROM sealed")
	if err != nil {
		return err
	}
	take := func(r reading, shape []slot) {
		id := blockID(floorDiv(r.sec, blockSeconds), r.stream.inst.id)
		if row, ok := sealed[id]; !ok || row < r.row {
			m.put(r, known(shape), now)
		}
	}
	damaged := false
	err = query(ctx, db.w, func(r *sql.Rows) error {
		var row journalRow
		if err := r.Scan(&row.id, &row.key, &row.blob); err != nil {
			return err
		}
		if row.key {
			m.journal.keys = append(m.journal.keys, row.id)
			damaged = false
		}
		if damaged {
			return nil
		}
		if err := m.replayRow(row, take); err != nil {
			damaged = true // the rows up to the next key frame are differences from this one
			db.log.Warn("a journal row can't be read; the seconds up to the next key frame are lost", "row", row.id, "err", err)
		}
		return nil
	}, "SELECT id, keyframe, v FROM journal ORDER BY id")
	for _, s := range m.byID {
		s.shape = s.shape[:0]
	}
	return err
}

// known leaves out signals that this program does not have.
func known(shape []slot) []slot {
	for i := range shape {
		if shape[i].ser.signal == noSignal {
			out := append([]slot(nil), shape[:i]...)
			for _, s := range shape[i:] {
				if s.ser.signal != noSignal {
					out = append(out, s)
				}
			}
			return out
		}
	}
	return shape
}

func (db *DB) loadIncidentNumber(ctx context.Context) error {
	var n sql.NullInt64
	err := db.w.QueryRowContext(ctx, "SELECT max(CAST(id AS INTEGER)) FROM incident").Scan(&n)
	db.incident.Store(n.Int64)
	return err
}
