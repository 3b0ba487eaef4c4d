package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// tableVersion is the first byte of every table; a new layout gets a new one.
const tableVersion = 1

// Bounds that no table of ours reaches: a damaged file must not eat the memory.
const (
	maxRows        = 1 << 20
	maxColumns     = 1 << 16
	maxTableMemory = 64 << 20
)

var errDamaged = errors.New("damaged block")

// tableEncoder writes tables. It keeps its buffers between calls and is for one
// goroutine.
type tableEncoder struct {
	z                         *zstd.Encoder
	head, high, esc, low, all []byte
}

func newTableEncoder() (*tableEncoder, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithSingleSegment(true))
	return &tableEncoder{z: z}, err
}

// encode appends a table of columns over rows rows: a version byte, the zstd
// frame of heads, bitmaps, escapes and high bytes, and the low bits as they are.
// Columns are sorted by key. Their vals are used as scratch and are gone after.
func (e *tableEncoder) encode(dst []byte, rows int, cols []column) []byte {
	slices.SortFunc(cols, func(a, b column) int { return cmp.Compare(a.key, b.key) })
	e.head, e.high, e.low = e.head[:0], e.high[:0], e.low[:0]
	maps, which := distinct(cols)
	e.head = binary.AppendUvarint(e.head, uint64(rows))
	e.head = binary.AppendUvarint(e.head, uint64(len(maps)))
	for _, m := range maps {
		e.head = appendBitmap(e.head, m, rows)
	}
	e.head = binary.AppendUvarint(e.head, uint64(len(cols)))
	key := uint64(0)
	for i := range cols {
		h := columnHead{key: cols[i].key - key, bitmap: which[i], count: len(cols[i].vals)}
		key = cols[i].key
		e.column(&h, cols[i].vals)
	}
	e.all = append(append(e.all[:0], e.head...), e.high...)
	dst = append(dst, tableVersion)
	frame := e.z.EncodeAll(e.all, nil)
	dst = binary.AppendUvarint(dst, uint64(len(frame)))
	return append(append(dst, frame...), e.low...)
}

func (e *tableEncoder) column(h *columnHead, w []int64) {
	if len(w) == 0 {
		e.head = h.append(e.head)
		return
	}
	h.first, h.factor = normalise(w)
	if h.factor == 0 {
		h.mode = modeConst
	} else {
		var sum int64
		for _, v := range w {
			sum += v
		}
		h.centre = sum / int64(len(w))
		var cost int
		h.mode, cost = choose(w, h.centre)
		h.low = lowBitsFor(cost, len(w)-1)
	}
	e.esc = e.esc[:0]
	if h.mode != modeConst {
		e.high, e.esc, e.low = appendColumn(h, w, e.high, e.esc, e.low)
	}
	h.escLen = len(e.esc)
	e.high = append(e.high, e.esc...)
	e.head = h.append(e.head)
}

// lowBitsFor leaves about four bits of a usual residual to the entropy coder.
func lowBitsFor(cost, n int) uint {
	if n == 0 {
		return 0
	}
	return uint(min(max(0, (cost+n/2)/n-lowSpare), maxLowBits))
}

func (h *columnHead) append(b []byte) []byte {
	b = binary.AppendUvarint(b, h.key)
	b = binary.AppendUvarint(b, uint64(h.bitmap))
	b = append(b, byte(h.mode), byte(h.low))
	b = binary.AppendVarint(b, h.first)
	if h.mode == modeConst {
		return b
	}
	b = binary.AppendVarint(b, h.factor)
	b = binary.AppendUvarint(b, uint64(h.escLen))
	if h.mode == modeCentre {
		b = binary.AppendVarint(b, h.centre)
	}
	return b
}

// distinct lists each bitmap once: the columns of a source mostly share one.
func distinct(cols []column) (maps []bitmap, which []int) {
	which = make([]int, len(cols))
	for i := range cols {
		j := slices.IndexFunc(maps, func(m bitmap) bool { return slices.Equal(m, cols[i].valid) })
		if j < 0 {
			j = len(maps)
			maps = append(maps, cols[i].valid)
		}
		which[i] = j
	}
	return maps, which
}

func appendBitmap(b []byte, m bitmap, rows int) []byte {
	for i := 0; i < rows; i += 8 {
		b = append(b, byte(m[i>>6]>>(i&63)))
	}
	return b
}
