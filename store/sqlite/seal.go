package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"stallbook/store"
)

// The keys of a block's columns: what they hold in the low two bits, the number
// of the series or stream above.
const (
	keySeries   = 0 // values of a series
	keyElapsed  = 1 // us between readings of a stream
	keyOverride = 2 // us of single rows of a series, see memColumn.over
)

func seriesKey(id int64) uint64   { return uint64(id)<<2 | keySeries }
func elapsedKey(id int64) uint64  { return uint64(id)<<2 | keyElapsed }
func overrideKey(id int64) uint64 { return uint64(id)<<2 | keyOverride }

const instanceBits = 20

func blockID(slot int64, inst int64) int64 { return slot<<instanceBits | inst }
func slotOf(block int64) int64             { return block >> instanceBits }

// columns lists what an open block holds, ready to be encoded. The values are
// copies.
func (b *openBlock) columns() []column {
	var out []column
	for _, l := range b.lanes {
		if l == nil {
			continue
		}
		if l.elapsed != nil {
			out = append(out, l.elapsed.dense(elapsedKey(l.stream.id)))
		}
		for i, c := range l.cols {
			if c == nil {
				continue
			}
			if d := c.dense(seriesKey(l.stream.series[i].id)); len(d.vals) > 0 {
				out = append(out, d)
			}
			if len(c.over) > 0 {
				out = append(out, c.overrides(overrideKey(l.stream.series[i].id)))
			}
		}
	}
	return out
}

func (c *memColumn) dense(key uint64) column {
	d := column{key: key, valid: bitmap(slices.Clone(c.valid[:]))}
	n := d.valid.count()
	d.vals = make([]int64, 0, n)
	if n == blockSeconds {
		d.vals = append(d.vals, c.vals[:]...)
		return d
	}
	d.valid.each(func(row, _ int) { d.vals = append(d.vals, c.vals[row]) })
	return d
}

func (c *memColumn) overrides(key uint64) column {
	d := column{key: key, valid: newBitmap(blockSeconds)}
	for row := range c.over {
		d.valid.set(row)
	}
	d.valid.each(func(row, _ int) { d.vals = append(d.vals, c.over[row]) })
	return d
}

// mergeColumn lays newer values over older ones of the same key.
func mergeColumn(old, new column) column {
	out := column{key: old.key, valid: slices.Clone(old.valid)}
	var wide [blockSeconds]int64
	old.valid.each(func(row, rank int) { wide[row] = old.vals[rank] })
	new.valid.each(func(row, rank int) {
		wide[row] = new.vals[rank]
		out.valid.set(row)
	})
	out.valid.each(func(row, _ int) { out.vals = append(out.vals, wide[row]) })
	return out
}

// merge adds the columns of a block that was sealed before.
func merge(r *tableReader, cols []column) ([]column, error) {
	if r.rows != blockSeconds {
		return nil, errDamaged
	}
	for i := range r.heads {
		valid, vals, err := r.column(i, nil)
		if err != nil {
			return nil, err
		}
		old := column{r.heads[i].key, slices.Clone(valid), vals}
		j := slices.IndexFunc(cols, func(c column) bool { return c.key == old.key })
		if j < 0 {
			cols = append(cols, old)
		} else {
			cols[j] = mergeColumn(old, cols[j])
		}
	}
	return cols, nil
}

// seal writes one open block and its minutes. A sealed block of the same ten
// minutes is merged: late samples end up at their own second.
func (w *writer) seal(ctx context.Context, tx *sql.Tx, db *DB, b *openBlock, lastRow int64) error {
	id := blockID(b.slot, b.inst.id)
	cols := b.columns()
	var old []byte
	err := tx.StmtContext(ctx, w.readBlock).QueryRowContext(ctx, id).Scan(&old)
	switch {
	case err == nil:
		if err := w.reader.open(old); err != nil {
			w.log.Warn("a sealed block could not be read and is replaced", "block", id, "err", err)
		} else if cols, err = merge(&w.reader, cols); err != nil {
			w.log.Warn("a sealed block could not be read and is replaced", "block", id, "err", err)
			cols = b.columns()
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if len(cols) == 0 {
		return nil
	}
	part := w.minutes(db, b, cols)
	w.blob = w.enc.encode(w.blob[:0], blockSeconds, cols)
	if _, err := tx.StmtContext(ctx, w.putBlock).ExecContext(ctx, id, w.blob); err != nil {
		return err
	}
	if _, err := tx.StmtContext(ctx, w.putSealed).ExecContext(ctx, id, lastRow); err != nil {
		return err
	}
	if len(part) == 0 {
		return nil
	}
	_, err = tx.StmtContext(ctx, w.putPart).ExecContext(ctx, id, part)
	return err
}

// due lists the blocks to seal now, oldest first, at most limit.
func (m *memory) due(now int64, limit int) []*openBlock {
	var out []*openBlock
	for _, in := range m.instances {
		for _, b := range in.open {
			if b.due <= now {
				out = append(out, b)
			}
		}
	}
	slices.SortFunc(out, func(a, b *openBlock) int { return int(a.slot - b.slot) })
	return out[:min(len(out), limit)]
}

// kindOf says how a stored series becomes a value; ok is false for a signal the
// program no longer knows.
func (s *series) info() (*store.Signal, bool) {
	if s.signal == noSignal {
		return nil, false
	}
	return s.signal.Info(), true
}
