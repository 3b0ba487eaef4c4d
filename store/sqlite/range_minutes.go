package sqlite

import (
	"database/sql"
	"math"

	"stallbook/store"
)

// minutes returns a signal minute by minute; the first one holds q.lo. Several
// sources of a minute: the most trusted one answers.
func (q *reader) minutes(id store.SignalID, label string) (mins []minute, first int64, err error) {
	first = floorDiv(q.lo, minuteSeconds) * minuteSeconds
	mins = make([]minute, (q.hi-first)/minuteSeconds+1)
	fresh, err := q.freshMinutes(id, label, first, len(mins))
	if err != nil {
		return nil, 0, err
	}
	for _, s := range q.rollupSeries(id, label) {
		own := make([]minute, len(mins))
		if err := q.folded(s, first, own); err != nil {
			return nil, 0, err
		}
		if err := q.parts(s, first, own); err != nil {
			return nil, 0, err
		}
		for i := range mins {
			if mins[i].count == 0 {
				mins[i] = own[i]
			}
		}
	}
	for i, m := range fresh {
		if m.count > mins[i].count {
			mins[i] = m
		}
	}
	return mins, first, nil
}

// freshMinutes rolls up what is not sealed yet.
func (q *reader) freshMinutes(id store.SignalID, label string, first int64, n int) ([]minute, error) {
	q.db.mu.RLock()
	oldest := int64(math.MaxInt64)
	if in := q.db.mem.instances[q.ref]; in != nil {
		for slot := range in.open {
			oldest = min(oldest, slot*blockSeconds)
		}
	}
	q.db.mu.RUnlock()
	from := max(first, oldest)
	if from > q.hi {
		return nil, nil
	}
	// A late sample may open an old block; what lies beyond a day has its minutes in
	// the file already or gets them within half a minute.
	from = max(from, floorDiv(q.hi, minuteSeconds)*minuteSeconds-daySeconds)
	sub := reader{db: q.db, ctx: q.ctx, ref: q.ref, lo: from, hi: q.hi}
	v, err := sub.fresh(id, label)
	if err != nil {
		return nil, err
	}
	out := make([]minute, (from-first)/minuteSeconds, n)
	return v.fold(out)[:n], nil
}

// fresh is seconds without the sealed blocks.
func (q *reader) fresh(id store.SignalID, label string) (seconds, error) {
	ids := []store.SignalID{id}
	d, isDerived := store.DerivationOf(id)
	if isDerived {
		ids = d.Inputs
	}
	return q.join(q.targets(ids, label), id, label, d, isDerived), nil
}

// rollupSeries lists the numbers of the series that hold a signal's roll-ups,
// the most trusted source first.
func (q *reader) rollupSeries(id store.SignalID, label string) []rollupKey {
	q.db.mu.RLock()
	defer q.db.mu.RUnlock()
	in := q.db.mem.instances[q.ref]
	if in == nil {
		return nil
	}
	var found []rollupKey
	for _, s := range in.streams {
		if ser := s.byName[seriesName{id, label}]; ser != nil {
			found = append(found, rollupKey{s.source, ser.id, in.id})
		}
	}
	sortByTrust(id, found, func(k rollupKey) string { return k.source })
	return found
}

type rollupKey struct {
	source       string
	series, inst int64
}

// folded reads the days' rows of one series into its minutes.
func (q *reader) folded(k rollupKey, first int64, own []minute) error {
	r := tableReader{z: q.db.zread}
	return query(q.ctx, q.db.r, func(rows *sql.Rows) error {
		var id int64
		var blob sql.RawBytes
		if err := rows.Scan(&id, &blob); err != nil {
			return err
		}
		err := r.open(blob)
		var mins []minute
		if err == nil {
			mins, err = readRollup(&r)
		}
		if err != nil {
			q.db.log.Warn("a roll-up can't be read and shows as a gap", "row", id, "err", err)
			return nil
		}
		lay(own, mins, (id>>32*daySeconds-first)/minuteSeconds)
		return nil
	}, `WITH RECURSIVE want(id) AS (SELECT ?1 UNION ALL SELECT id + ?3 FROM want WHERE id < ?2)
		SELECT rollup.id, rollup.v FROM want JOIN rollup ON rollup.id = want.id`,
		rollupID(floorDiv(q.lo, daySeconds), k.series), rollupID(floorDiv(q.hi, daySeconds), k.series), int64(1)<<32)
}

// parts reads the minutes that are not folded into days yet.
func (q *reader) parts(k rollupKey, first int64, own []minute) error {
	var oldest sql.NullInt64
	if err := q.db.r.QueryRowContext(q.ctx, "SELECT min(id) FROM rollup_part").Scan(&oldest); err != nil || !oldest.Valid {
		return err
	}
	from := max(slotOf(oldest.Int64), floorDiv(q.lo, blockSeconds))
	to := floorDiv(q.hi, blockSeconds)
	if from > to {
		return nil
	}
	r := tableReader{z: q.db.zread}
	return query(q.ctx, q.db.r, func(rows *sql.Rows) error {
		var id int64
		var blob sql.RawBytes
		if err := rows.Scan(&id, &blob); err != nil {
			return err
		}
		err := r.open(blob)
		if err == nil {
			err = readPart(&r, func(series int64, mins []minute) {
				if series == k.series {
					lay(own, mins, (slotOf(id)*blockSeconds-first)/minuteSeconds)
				}
			})
		}
		if err != nil {
			q.db.log.Warn("a roll-up can't be read and shows as a gap", "row", id, "err", err)
		}
		return nil
	}, `WITH RECURSIVE want(id) AS (SELECT ?1 UNION ALL SELECT id + ?3 FROM want WHERE id < ?2)
		SELECT rollup_part.id, rollup_part.v FROM want JOIN rollup_part ON rollup_part.id = want.id`,
		blockID(from, k.inst), blockID(to, k.inst), int64(1)<<instanceBits)
}

// lay copies minutes that have data to their place in own.
func lay(own, mins []minute, at int64) {
	for i, m := range mins {
		if j := at + int64(i); m.count > 0 && j >= 0 && j < int64(len(own)) {
			own[j] = m
		}
	}
}
