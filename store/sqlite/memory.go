package sqlite

import (
	"time"

	"stallbook/store"
)

// Times of sealing, in seconds.
const (
	blockSeconds = 600
	sealAfter    = 5   // a block waits this long for stragglers
	sealSpread   = 540 // and instances take turns over this long
	sealLate     = 30  // a block that late samples opened again collects this long
	sealLatest   = 2 * blockSeconds
	maxOpen      = 4 // open blocks of one instance: a load of old data seals as it goes
)

// memory is what the writer holds: names, open blocks and what is not yet in the
// file. The writer changes it under DB.mu; readers copy from it under DB.mu.
type memory struct {
	dictionary
	horizon int64 // slot; older ones were dropped by retention

	journal journal
	said    []saidRow
	events  []store.Event
	free    []*memColumn
}

// openBlock is ten minutes of one instance that are not sealed yet.
type openBlock struct {
	inst     *instance
	slot     int64 // Unix time / 600
	lanes    []*lane
	due      int64 // Unix second at which to seal it
	firstRow int64 // the first journal row with data of it
}

// lane is the part of a block that one stream fills.
type lane struct {
	stream  *stream
	elapsed *memColumn // us since the source's previous reading
	cols    []*memColumn
}

// memColumn is one series of an open block.
type memColumn struct {
	// over holds the elapsed time of rows whose batch had another one than the
	// lane: a source with a fast and a slow loop reads twice in a second. It stands
	// beside valid because a sample that comes in looks at both.
	over  map[int]int64
	valid [(blockSeconds + 63) / 64]uint64
	vals  [blockSeconds]int64
}

func (c *memColumn) has(row int) bool { return c.valid[row>>6]&(1<<(row&63)) != 0 }

func (c *memColumn) set(row int, v int64) {
	c.valid[row>>6] |= 1 << (row & 63)
	c.vals[row] = v
}

func (m *memory) column() *memColumn {
	if n := len(m.free); n > 0 {
		c := m.free[n-1]
		m.free = m.free[:n-1]
		c.valid, c.over = [len(c.valid)]uint64{}, nil
		return c
	}
	return new(memColumn)
}

// release gives the columns of a sealed block back.
func (m *memory) release(b *openBlock) {
	delete(b.inst.open, b.slot)
	for _, l := range b.lanes {
		if l == nil {
			continue
		}
		for _, c := range append(l.cols, l.elapsed) {
			if c != nil && len(m.free) < 1<<14 {
				m.free = append(m.free, c)
			}
		}
	}
}

// block returns the open block of a second, opening it when needed.
func (m *memory) block(in *instance, sec, row, now int64) *openBlock {
	slot := floorDiv(sec, blockSeconds)
	b := in.open[slot]
	if b != nil {
		return b
	}
	due := (slot+1)*blockSeconds + sealAfter + in.id*37%sealSpread
	b = &openBlock{inst: in, slot: slot, due: min(max(due, now+sealLate), now+sealLatest), firstRow: row}
	in.open[slot] = b
	if len(in.open) > maxOpen {
		oldest := b
		for _, o := range in.open {
			if o.slot < oldest.slot {
				oldest = o
			}
		}
		oldest.due = now
	}
	return b
}

func (b *openBlock) lane(s *stream) *lane {
	for len(b.lanes) <= s.index {
		b.lanes = append(b.lanes, nil)
	}
	l := b.lanes[s.index]
	if l == nil {
		l = &lane{stream: s}
		b.lanes[s.index] = l
	}
	if len(l.cols) < len(s.series) {
		l.cols = append(l.cols, make([]*memColumn, len(s.series)-len(l.cols))...)
	}
	return l
}

// reading is one batch in the writer's terms.
type reading struct {
	stream  *stream
	sec     int64
	elapsed int64 // us, 0 unknown
	row     int64 // journal row that holds it
}

// put stores one reading's values into its open block.
func (m *memory) put(r reading, shape []slot, now int64) {
	l := m.block(r.stream.inst, r.sec, r.row, now).lane(r.stream)
	row := int(r.sec - floorDiv(r.sec, blockSeconds)*blockSeconds)
	elapsed := m.setElapsed(l, row, r.elapsed)
	for i := range shape {
		sl := &shape[i]
		c := l.cols[sl.index]
		if c == nil {
			c = m.column()
			l.cols[sl.index] = c
		}
		n := sl.prev
		switch sl.kind {
		case store.Rate:
			if r.elapsed <= 0 {
				continue // no rate without a time; unknown, not 0
			}
			if r.elapsed != elapsed || c.over != nil {
				c.override(row, r.elapsed, elapsed)
			}
		case store.Events:
			if c.has(row) {
				n += c.vals[row] // read twice in one second: both happened
			}
		}
		c.set(row, n)
	}
}

// setElapsed gives the lane its elapsed time of a row and returns it; the first
// reading of a second sets it.
func (m *memory) setElapsed(l *lane, row int, us int64) int64 {
	if l.elapsed == nil {
		if us <= 0 {
			return 0
		}
		l.elapsed = m.column()
	}
	if !l.elapsed.has(row) && us > 0 {
		l.elapsed.set(row, us)
	}
	return l.elapsed.vals[row]
}

func (c *memColumn) override(row int, us, lane int64) {
	if us == lane {
		if c.over != nil {
			delete(c.over, row)
		}
		return
	}
	if c.over == nil {
		c.over = map[int]int64{}
	}
	c.over[row] = us
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func micros(d time.Duration) int64 { return d.Microseconds() }
