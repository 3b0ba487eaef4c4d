package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"
)

// The columns of a roll-up.
const (
	rollupSeries = iota // number of the series, at the first of its minutes; parts only
	rollupLow           // lowest value
	rollupSpan          // highest minus lowest
	rollupMean          // mean minus lowest; the sum is mean * count
	rollupCount
)

// rollupID is the row of one series and day.
func rollupID(day, series int64) int64 { return day<<32 | series }

// order maps a value to an integer that sorts alike and keeps 13 bits of the
// mantissa: four digits, and differences of neighbours stay small.
func order(v float64) int64 {
	n := int64((math.Float32bits(float32(math.Abs(v))) + 1<<9) >> 10)
	if v < 0 {
		return -n
	}
	return n
}

func unorder(n int64) float64 {
	v := float64(math.Float32frombits(uint32(max(n, -n) << 10)))
	if n < 0 {
		return -v
	}
	return v
}

// rollupColumns lays minutes out as columns; minutes without data have no row.
func rollupColumns(mins []minute) []column {
	cols := make([]column, 4)
	valid := newBitmap(len(mins))
	for i := range cols {
		cols[i] = column{key: uint64(rollupLow + i), valid: valid, vals: make([]int64, 0, len(mins))}
	}
	for i, m := range mins {
		if m.count == 0 {
			continue
		}
		valid.set(i)
		lo := order(m.lo)
		for j, v := range []int64{lo, order(m.hi) - lo, order(m.mean) - lo, m.count} {
			cols[j].vals = append(cols[j].vals, v)
		}
	}
	return cols
}

// readRollup decodes the minutes of a table written from rollupColumns.
func readRollup(r *tableReader) ([]minute, error) {
	var cols [rollupCount + 1][]int64
	var valid bitmap
	for key := uint64(rollupLow); key <= rollupCount; key++ {
		i := r.find(key)
		if i < 0 {
			return nil, errDamaged
		}
		var err error
		if valid, cols[key], err = r.column(i, make([]int64, 0, r.rows)); err != nil {
			return nil, err
		}
		if len(cols[key]) != len(cols[rollupLow]) {
			return nil, errDamaged
		}
	}
	out := make([]minute, r.rows)
	valid.each(func(row, rank int) {
		lo := cols[rollupLow][rank]
		out[row] = minute{lo: unorder(lo), hi: unorder(lo + cols[rollupSpan][rank]),
			mean: unorder(lo + cols[rollupMean][rank]), count: cols[rollupCount][rank]}
	})
	return out, nil
}

// encodePart writes the ten minutes of all series of a block as one table.
func (w *writer) encodePart(part map[int64][]minute) []byte {
	if len(part) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(part))
	for id := range part {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	all := make([]minute, 0, len(ids)*blockMinutes)
	head := column{key: rollupSeries, valid: newBitmap(len(ids) * blockMinutes)}
	for i, id := range ids {
		head.valid.set(i * blockMinutes)
		head.vals = append(head.vals, id)
		all = append(all, part[id]...)
	}
	return w.enc.encode(nil, len(all), append(rollupColumns(all), head))
}

// readPart calls f for each series of a part.
func readPart(r *tableReader, f func(series int64, mins []minute)) error {
	i := r.find(rollupSeries)
	if i < 0 {
		return errDamaged
	}
	valid, ids, err := r.column(i, nil)
	if err != nil {
		return err
	}
	all, err := readRollup(r)
	if err != nil {
		return err
	}
	valid.each(func(row, rank int) { f(ids[rank], all[row:min(row+blockMinutes, len(all))]) })
	return nil
}

// foldAfter is how long after its end a day is folded: late samples are in.
const foldAfter = 2 * time.Hour

// foldOldest turns the parts of one instance and one finished day into a row for
// each series. It does one instance at a time, so that no commit takes long.
func (w *writer) foldOldest(ctx context.Context, tx *sql.Tx, now time.Time) error {
	var oldest sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT min(id) FROM rollup_part").Scan(&oldest); err != nil || !oldest.Valid {
		return err
	}
	day := floorDiv(slotOf(oldest.Int64)*blockSeconds, daySeconds)
	if now.Add(-foldAfter).Unix() < (day+1)*daySeconds {
		return nil
	}
	return w.foldDay(ctx, tx, day, oldest.Int64&(1<<instanceBits-1))
}

func (w *writer) foldDay(ctx context.Context, tx *sql.Tx, day, inst int64) error {
	days := map[int64][]minute{}
	first := day * daySeconds / blockSeconds
	for slot := first; slot < first+daySeconds/blockSeconds; slot++ {
		var blob []byte
		err := tx.StmtContext(ctx, w.readPart).QueryRowContext(ctx, blockID(slot, inst)).Scan(&blob)
		if err == sql.ErrNoRows {
			continue
		} else if err != nil {
			return err
		}
		if err := w.foldPart(ctx, tx, days, blob, day, int(slot-first)*blockMinutes); err != nil {
			return err
		}
		if _, err := tx.StmtContext(ctx, w.dropPart).ExecContext(ctx, blockID(slot, inst)); err != nil {
			return err
		}
	}
	for id, mins := range days {
		blob := w.enc.encode(nil, dayMinutes, rollupColumns(mins))
		if _, err := tx.StmtContext(ctx, w.putRollup).ExecContext(ctx, rollupID(day, id), blob); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE series SET seen = ? WHERE id = ? AND seen < ?", day, id, day); err != nil {
			return err
		}
	}
	return nil
}

// foldPart lays a part over the day, which begins with what was folded before.
func (w *writer) foldPart(ctx context.Context, tx *sql.Tx, days map[int64][]minute, blob []byte, day int64, at int) error {
	if err := w.reader.open(blob); err != nil {
		return nil // its block is still there; a damaged part must not stop the rest
	}
	var failed error
	err := readPart(&w.reader, func(id int64, mins []minute) {
		if days[id] == nil && failed == nil {
			days[id], failed = w.folded(ctx, tx, day, id)
		}
		if failed == nil {
			for i, m := range mins {
				if m.count > 0 && at+i < dayMinutes {
					days[id][at+i] = m
				}
			}
		}
	})
	if failed == nil && err != nil {
		w.log.Warn("a damaged roll-up is left out", "day", day, "err", err)
	}
	return failed
}

func (w *writer) folded(ctx context.Context, tx *sql.Tx, day, series int64) ([]minute, error) {
	var blob []byte
	err := tx.QueryRowContext(ctx, "SELECT v FROM rollup WHERE id = ?", rollupID(day, series)).Scan(&blob)
	if err == sql.ErrNoRows {
		return make([]minute, dayMinutes), nil
	} else if err != nil {
		return nil, err
	}
	r := tableReader{z: w.reader.z}
	if err := r.open(blob); err != nil {
		return make([]minute, dayMinutes), nil
	}
	mins, err := readRollup(&r)
	if err != nil || len(mins) != dayMinutes {
		return make([]minute, dayMinutes), nil
	}
	return mins, nil
}
