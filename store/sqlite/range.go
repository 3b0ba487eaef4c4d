package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"stallbook/store"
)

// rawSpan is the longest stretch that is answered from single seconds.
const rawSpan = 24 * time.Hour

// maxRange bounds one question; roll-ups are kept for 400 days by default.
const maxRange = 1500 * 24 * time.Hour

// Range returns a series between from and to, both included, in at most points
// buckets that keep minimum and maximum, or every stored second with points 0.
// Stretches without data are buckets with Gap set: one for each empty bucket, or
// a single one with points 0. What lies closer together than the series usually
// does is no gap. Up to 24 hours come from single seconds while they are kept,
// the rest from one-minute roll-ups, and step is never shorter than that.
func (db *DB) Range(ctx context.Context, ref store.Ref, signal, label string, from, to time.Time, points int) (time.Duration, []store.Bucket, error) {
	id, ok := store.Lookup(signal)
	if !ok {
		return 0, nil, &store.Problem{Code: "invalid", Message: fmt.Sprintf("there is no signal %q; the nearest name is %q", signal, store.NearestSignal(signal))}
	}
	if to.Before(from) || to.Sub(from) > maxRange {
		return 0, nil, &store.Problem{Code: "invalid", Message: "from must be before to, and no more than 1500 days"}
	}
	lo, hi := from.Unix(), to.Unix()
	q := reader{db: db, ctx: ctx, ref: ref, lo: lo, hi: hi}
	db.mu.RLock()
	horizon := db.mem.horizon * blockSeconds
	db.mu.RUnlock()
	if to.Sub(from) <= rawSpan && lo >= horizon {
		v, err := q.seconds(id, label)
		if err != nil {
			return 0, nil, err
		}
		b := newBuckets(lo, hi, 1, points)
		every := usualStep(v)
		for i, x := range v {
			if !math.IsNaN(x) {
				b.add(lo+int64(i), x, x)
			}
		}
		return b.step(), b.finish(max(1, every)), nil
	}
	mins, first, err := q.minutes(id, label)
	if err != nil {
		return 0, nil, err
	}
	b := newBuckets(lo, hi, minuteSeconds, points)
	for i, m := range mins {
		if at := first + int64(i)*minuteSeconds; m.count > 0 && at+minuteSeconds > lo && at <= hi {
			b.add(max(at, lo), m.lo, m.hi)
		}
	}
	return b.step(), b.finish(minuteSeconds * usualMinutes(mins)), nil
}

func usualMinutes(mins []minute) int {
	s := newSeconds(len(mins))
	for i, m := range mins {
		if m.count > 0 {
			s[i] = m.mean
		}
	}
	return max(1, usualStep(s))
}

// reader answers one question about one instance.
type reader struct {
	db     *DB
	ctx    context.Context
	ref    store.Ref
	lo, hi int64 // Unix seconds, both included
}

// target is one stored series to be read: where its columns are.
type target struct {
	name   seriesName
	source string
	series uint64 // column keys
	lapse  uint64
	over   uint64
	inst   int64
	v      seconds
}

// targets lists the series that give a signal, from memory's dictionary, and
// copies what the open blocks hold of them.
func (q *reader) targets(ids []store.SignalID, label string) []*target {
	q.db.mu.RLock()
	defer q.db.mu.RUnlock()
	in := q.db.mem.instances[q.ref]
	if in == nil {
		return nil
	}
	var out []*target
	for _, s := range in.streams {
		if s.source == derivedSource {
			continue
		}
		for _, id := range ids {
			ser := s.byName[seriesName{id, label}]
			if ser == nil {
				continue
			}
			t := &target{name: seriesName{id, label}, source: s.source, series: seriesKey(ser.id), lapse: elapsedKey(s.id),
				over: overrideKey(ser.id), inst: in.id, v: newSeconds(int(q.hi - q.lo + 1))}
			for _, b := range in.open {
				t.fromMemory(b, ser, q.lo)
			}
			out = append(out, t)
		}
	}
	return out
}

func (t *target) fromMemory(b *openBlock, ser *series, lo int64) {
	if ser.stream.index >= len(b.lanes) {
		return
	}
	l := b.lanes[ser.stream.index]
	if l == nil || ser.index >= len(l.cols) || l.cols[ser.index] == nil || b.slot*blockSeconds >= lo+int64(len(t.v)) {
		return
	}
	c := l.cols[ser.index]
	elapsed, over := column{valid: newBitmap(blockSeconds)}, column{}
	if l.elapsed != nil {
		elapsed = l.elapsed.dense(0)
	}
	if len(c.over) > 0 {
		over = c.overrides(0)
	}
	t.take(b.slot, lo, blockValues(ser.signal.Info(), c.dense(0), elapsed, over))
}

// take lays a block's values into the target's stretch. What is there already
// came later and stays.
func (t *target) take(slot, lo int64, v seconds) {
	first := slot*blockSeconds - lo
	for i, x := range v {
		at := first + int64(i)
		if at >= 0 && at < int64(len(t.v)) && !math.IsNaN(x) && math.IsNaN(t.v[at]) {
			t.v[at] = x
		}
	}
}

// seconds returns a signal second by second from lo to hi: memory first, then
// the sealed blocks, so that a block that is sealed in between is not missed.
func (q *reader) seconds(id store.SignalID, label string) (seconds, error) {
	ids := []store.SignalID{id}
	d, isDerived := store.DerivationOf(id)
	if isDerived {
		ids = d.Inputs
	}
	list := q.targets(ids, label)
	n := int(q.hi - q.lo + 1)
	if len(list) == 0 {
		return newSeconds(n), nil
	}
	if err := q.sealed(list); err != nil {
		return nil, err
	}
	return q.join(list, id, label, d, isDerived), nil
}

// join merges the sources of each signal and computes a derived one.
func (q *reader) join(list []*target, id store.SignalID, label string, d store.Derivation, isDerived bool) seconds {
	bySignal := map[seriesName][]sourced{}
	for _, t := range list {
		bySignal[t.name] = append(bySignal[t.name], sourced{t.source, t.v})
	}
	merged := map[seriesName]seconds{}
	for name, sources := range bySignal {
		merged[name] = mergeSources(name.signal, sources)
	}
	n := int(q.hi - q.lo + 1)
	if isDerived {
		return derive(d, label, merged, n)
	}
	if v := merged[seriesName{id, label}]; v != nil {
		return v
	}
	return newSeconds(n)
}

// sealed reads the blocks of the stretch once for all targets.
func (q *reader) sealed(list []*target) error {
	first, last := floorDiv(q.lo, blockSeconds), floorDiv(q.hi, blockSeconds)
	r := tableReader{z: q.db.zread}
	var vals, us []int64
	return query(q.ctx, q.db.r, func(rows *sql.Rows) error {
		var id int64
		var blob sql.RawBytes
		if err := rows.Scan(&id, &blob); err != nil {
			return err
		}
		if err := r.open(blob); err != nil || r.rows != blockSeconds {
			q.db.log.Warn("a sealed block can't be read and shows as a gap", "block", id, "err", err)
			return nil
		}
		for _, t := range list {
			v, err := t.fromBlock(&r, &vals, &us)
			if err != nil {
				q.db.log.Warn("a sealed block can't be read and shows as a gap", "block", id, "err", err)
				continue
			}
			t.take(slotOf(id), q.lo, v)
		}
		return nil
	}, blocksBetween,
		blockID(first, list[0].inst), blockID(last, list[0].inst), int64(1)<<instanceBits)
}

func (t *target) fromBlock(r *tableReader, vals, us *[]int64) (seconds, error) {
	get := func(key uint64, dst *[]int64) (column, error) {
		i := r.find(key)
		if i < 0 {
			return column{}, nil
		}
		valid, v, err := r.column(i, (*dst)[:0])
		*dst = v
		return column{key, valid, v}, err
	}
	col, err := get(t.series, vals)
	if err != nil || len(col.vals) == 0 {
		return nil, err
	}
	info := t.name.signal.Info()
	var lapse, over column
	if info.Kind == store.Rate {
		if lapse, err = get(t.lapse, us); err != nil {
			return nil, err
		}
		var few []int64
		if over, err = get(t.over, &few); err != nil {
			return nil, err
		}
	}
	return blockValues(info, col, lapse, over), nil
}
