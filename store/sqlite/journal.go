package sqlite

import (
	"encoding/binary"
	"fmt"

	"stallbook/store"

	"github.com/klauspost/compress/s2"
)

// journalVersion is the first byte of a journal row.
const journalVersion = 1

// keyEvery is how many rows share a key frame: a row in between is the
// difference from the previous batch of each source.
const keyEvery = 60

// maxRowBytes bounds a row when it is read: a damaged one must not eat the memory.
const maxRowBytes = 256 << 20

// journal is the writer's side: rows that wait for their commit and what is
// needed to trim old ones.
type journal struct {
	next    int64 // id of the row being filled
	sinceKF int   // rows since the last key frame
	keys    []int64
	body    []byte
	lastSec int64
	waiting []journalRow
	trimmed int64 // rows below are gone
}

type journalRow struct {
	id   int64
	key  bool
	blob []byte
}

// begin starts a row. A key frame makes every stream forget its previous batch.
func (m *memory) beginRow() {
	j := &m.journal
	j.body, j.lastSec = j.body[:0], 0
	if j.sinceKF == 0 {
		for _, s := range m.byID {
			s.shape = s.shape[:0]
		}
	}
}

// endRow closes the row; one without samples is not kept.
func (m *memory) endRow() {
	j := &m.journal
	if len(j.body) == 0 {
		return
	}
	row := journalRow{id: j.next, key: j.sinceKF == 0}
	row.blob = append(make([]byte, 0, 64+len(j.body)/2), journalVersion)
	row.blob = append(row.blob, s2.Encode(nil, j.body)...)
	if row.key {
		j.keys = append(j.keys, j.next)
	}
	j.waiting = append(j.waiting, row)
	j.next++
	j.sinceKF = (j.sinceKF + 1) % keyEvery
}

// record appends one batch to the row: a head, and either the differences from
// the stream's previous batch (0), or the series and values in full (count + 1).
// It leaves the batch's values in shape.
func (m *memory) record(s *stream, r reading, samples []store.Sample, same bool) {
	b := binary.AppendUvarint(m.journal.body, uint64(s.id))
	b = binary.AppendVarint(b, r.sec-m.journal.lastSec)
	b = binary.AppendUvarint(b, uint64(max(0, r.elapsed)))
	m.journal.lastSec = r.sec
	if same {
		b = append(b, 0)
		for i := range samples {
			n := samples[i].N
			d := zigzag(n - s.shape[i].prev)
			s.shape[i].prev = n
			for d >= 0x80 {
				b = append(b, byte(d)|0x80)
				d >>= 7
			}
			b = append(b, byte(d))
		}
	} else {
		b = binary.AppendUvarint(b, uint64(len(samples)+1))
		for i := range samples {
			b = binary.AppendUvarint(b, uint64(s.shape[i].ser.id))
			b = binary.AppendVarint(b, samples[i].N)
			s.shape[i].prev = samples[i].N
		}
	}
	m.journal.body = b
}

// resolve lays the batch's series out in s.shape and reports whether they are
// the same, in the same order, as those of the batch before.
func (m *memory) resolve(s *stream, samples []store.Sample, day int64) (same bool) {
	same = len(samples) == len(s.shape)
	for i := range samples {
		n := seriesName{samples[i].Signal, samples[i].Label}
		if i < len(s.shape) && s.shape[i].name == n {
			continue
		}
		same = false
		sl := slotFor(n, m.series(s, n, day))
		if i < len(s.shape) {
			s.shape[i] = sl
		} else {
			s.shape = append(s.shape, sl)
		}
	}
	s.shape = s.shape[:len(samples)]
	return same
}

// replay reads one row and calls f for each batch, whose values stand in the
// stream's shape. Streams and series that are not in the dictionary are an error.
func (m *memory) replayRow(row journalRow, f func(reading, []slot)) error {
	if len(row.blob) == 0 || row.blob[0] != journalVersion {
		return fmt.Errorf("journal row %d has an unknown version", row.id)
	}
	if n, err := s2.DecodedLen(row.blob[1:]); err != nil || n > maxRowBytes {
		return fmt.Errorf("journal row %d: %w", row.id, errDamaged)
	}
	body, err := s2.Decode(nil, row.blob[1:])
	if err != nil {
		return fmt.Errorf("journal row %d: %w", row.id, err)
	}
	if row.key {
		for _, s := range m.byID {
			s.shape = s.shape[:0]
		}
	}
	c, sec := cursor{b: body}, int64(0)
	for len(c.b) > 0 {
		s := m.byID[int64(c.uvarint())]
		sec += c.varint()
		elapsed := int64(c.uvarint())
		if c.bad || s == nil || !m.replayBatch(&c, s) {
			return fmt.Errorf("journal row %d: %w", row.id, errDamaged)
		}
		f(reading{s, sec, elapsed, row.id}, s.shape)
	}
	return nil
}

func (m *memory) replayBatch(c *cursor, s *stream) bool {
	n := c.uvarint()
	if n == 0 {
		for i := range s.shape {
			s.shape[i].prev += c.varint()
		}
		return !c.bad
	}
	if n > uint64(len(c.b)) {
		return false
	}
	s.shape = s.shape[:0]
	for range n - 1 {
		ser := m.seriesByID[int64(c.uvarint())]
		v := c.varint()
		if c.bad || ser == nil {
			return false
		}
		sl := slotFor(seriesName{ser.signal, ser.label}, ser)
		sl.prev = v
		s.shape = append(s.shape, sl)
	}
	return !c.bad
}
