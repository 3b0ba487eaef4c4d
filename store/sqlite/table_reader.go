package sqlite

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// tableReader finds columns in encoded tables. It is for one goroutine.
type tableReader struct {
	z     *zstd.Decoder
	buf   []byte
	low   []byte
	rows  int
	maps  []bitmap
	heads []columnHead
}

// open parses the head of a table; columns are decoded one by one on demand.
func (r *tableReader) open(blob []byte) error {
	if len(blob) == 0 {
		return errDamaged
	}
	if blob[0] != tableVersion {
		return fmt.Errorf("block of version %d, this program knows %d: a newer stallbook wrote it", blob[0], tableVersion)
	}
	size, n := binary.Uvarint(blob[1:])
	if n <= 0 || size > uint64(len(blob)-1-n) {
		return errDamaged
	}
	frame := blob[1+n : 1+n+int(size)]
	r.low = blob[1+n+int(size):]
	var err error
	if r.buf, err = r.z.DecodeAll(frame, r.buf[:0]); err != nil {
		return fmt.Errorf("%w: %v", errDamaged, err)
	}
	return r.parse()
}

func (r *tableReader) parse() error {
	c := cursor{b: r.buf}
	rows, maps := c.uvarint(), c.uvarint()
	if rows > maxRows || maps > maxColumns {
		return errDamaged
	}
	r.rows, r.maps, r.heads = int(rows), r.maps[:0], r.heads[:0]
	for range maps {
		r.maps = append(r.maps, c.bitmap(r.rows))
		if c.bad {
			return errDamaged
		}
	}
	cols := c.uvarint()
	if c.bad || cols > maxColumns {
		return errDamaged
	}
	key := uint64(0)
	for range cols {
		h := c.head(r.maps)
		if c.bad {
			return errDamaged
		}
		key += h.key
		h.key = key
		r.heads = append(r.heads, h)
	}
	return r.locate(len(r.buf) - len(c.b))
}

// locate fills in where each column's parts begin and checks that they fit.
func (r *tableReader) locate(at int) error {
	low := 0
	for i := range r.heads {
		h := &r.heads[i]
		h.highAt, h.escAt, h.lowAt = at, at+h.residualCount(), low
		at = h.escAt + h.escLen
		low += h.lowBytes()
		if at > len(r.buf) || low > len(r.low) {
			return errDamaged
		}
	}
	return nil
}

// find returns the index of the column with a key, or -1.
func (r *tableReader) find(key uint64) int {
	i, ok := slices.BinarySearchFunc(r.heads, key, func(h columnHead, k uint64) int { return cmp.Compare(h.key, k) })
	if !ok {
		return -1
	}
	return i
}

// column decodes column i. The bitmap belongs to the reader until the next open.
func (r *tableReader) column(i int, dst []int64) (bitmap, []int64, error) {
	h := &r.heads[i]
	vals, err := readColumn(h, r.buf[h.highAt:h.escAt], r.buf[h.escAt:h.escAt+h.escLen], r.low[h.lowAt:h.lowAt+h.lowBytes()], dst)
	return r.maps[h.bitmap], vals, err
}
