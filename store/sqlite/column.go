package sqlite

import (
	"encoding/binary"
	"math/bits"
)

// column is one series of a table: which rows have a value, and the values of
// those rows in order.
type column struct {
	key   uint64
	valid bitmap
	vals  []int64
}

// How a column's values are predicted. What is kept is the difference from the
// prediction; the cheapest predictor is chosen for each column of each block.
const (
	modeConst  = iota // every value is the first
	modeCentre        // the mean of the column: noise around a level
	modeDelta         // the value before
	modeSlope         // the value before plus the step before it
	modeMean4         // the mean of the four before: noise on a slow walk
	modes
)

// escape is the high byte that says "the rest stands among the escapes".
const escape = 255

// maxLowBits keeps a value's low bits and a started byte within 64 bits.
const maxLowBits = 56

// lowSpare is how many bits of a usual residual go to the entropy coder.
const lowSpare = 4

// columnHead is what a reader must know to find and undo a column.
type columnHead struct {
	key    uint64
	bitmap int // index into the table's bitmaps
	count  int // values
	mode   int
	low    uint  // bits of each residual kept as they are, outside of zstd
	first  int64 // value of w = 0
	factor int64 // value = first + factor*w
	centre int64 // of modeCentre, in w
	escLen int   // bytes of escapes

	highAt, escAt, lowAt int // offsets, filled in by the reader
}

// residualCount is how many values are predicted: the first is in the head.
func (h *columnHead) residualCount() int {
	if h.mode == modeConst || h.count == 0 {
		return 0
	}
	return h.count - 1
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(z uint64) int64 { return int64(z>>1) ^ -int64(z&1) }

// normalise turns values into w = (value-first)/factor in place. Arithmetic
// wraps, so that even differences beyond 63 bits come back exactly.
func normalise(vals []int64) (first, factor int64) {
	first = vals[0]
	var g uint64
	for i, v := range vals {
		d := v - first
		vals[i] = d
		if g != 1 && d != 0 {
			g = gcd(g, magnitude(d))
		}
	}
	if g <= 1 || g > 1<<62 {
		if g != 0 {
			return first, 1
		}
		return first, 0
	}
	for i := range vals {
		vals[i] /= int64(g)
	}
	return first, int64(g)
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// choose returns the predictor with the fewest bits, and that number.
func choose(w []int64, centre int64) (mode int, cost int) {
	var c [modes]int
	var p1, p2, p3, p4 int64
	for _, v := range w[1:] {
		c[modeCentre] += bits.Len64(zigzag(v - centre))
		c[modeDelta] += bits.Len64(zigzag(v - p1))
		c[modeSlope] += bits.Len64(zigzag(v - 2*p1 + p2))
		c[modeMean4] += bits.Len64(zigzag(v - (p1+p2+p3+p4)>>2))
		p1, p2, p3, p4 = v, p1, p2, p3
	}
	mode = modeDelta
	for m := modeCentre; m < modes; m++ {
		if c[m] < c[mode] {
			mode = m
		}
	}
	return mode, c[mode]
}

// predictor gives the prediction for the next value; w[0] is always 0.
type predictor struct {
	mode           int
	centre         int64
	p1, p2, p3, p4 int64
}

func (p *predictor) next() int64 {
	switch p.mode {
	case modeCentre:
		return p.centre
	case modeDelta:
		return p.p1
	case modeSlope:
		return 2*p.p1 - p.p2
	default:
		return (p.p1 + p.p2 + p.p3 + p.p4) >> 2
	}
}

func (p *predictor) saw(w int64) { p.p1, p.p2, p.p3, p.p4 = w, p.p1, p.p2, p.p3 }

// appendColumn splits the residuals of w: high bytes and escapes are worth
// compressing, low bits are noise and stay as they are.
func appendColumn(h *columnHead, w []int64, high, esc, low []byte) (_, _, _ []byte) {
	p := predictor{mode: h.mode, centre: h.centre}
	mask := uint64(1)<<h.low - 1
	var acc uint64
	var have uint
	for _, v := range w[1:] {
		z := zigzag(v - p.next())
		p.saw(v)
		if t := z >> h.low; t < escape {
			high = append(high, byte(t))
		} else {
			high = append(high, escape)
			esc = binary.AppendUvarint(esc, t-escape)
		}
		if h.low == 0 {
			continue
		}
		acc |= (z & mask) << have
		have += h.low
		for ; have >= 8; have -= 8 {
			low = append(low, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		low = append(low, byte(acc))
	}
	return high, esc, low
}

// lowBytes is the room the low bits of a column take.
func (h *columnHead) lowBytes() int { return (h.residualCount()*int(h.low) + 7) / 8 }

// readColumn appends the values of a column to dst.
func readColumn(h *columnHead, high, esc, low []byte, dst []int64) ([]int64, error) {
	if h.count == 0 {
		return dst, nil
	}
	dst = append(dst, h.first)
	if h.mode == modeConst {
		for i := 1; i < h.count; i++ {
			dst = append(dst, h.first)
		}
		return dst, nil
	}
	p := predictor{mode: h.mode, centre: h.centre}
	mask := uint64(1)<<h.low - 1
	var acc uint64
	var have uint
	at := 0
	for _, b := range high {
		t := uint64(b)
		if b == escape {
			more, n := binary.Uvarint(esc)
			if n <= 0 {
				return dst, errDamaged
			}
			esc = esc[n:]
			t += more
		}
		for ; have < h.low; have += 8 {
			acc |= uint64(low[at]) << have
			at++
		}
		z := t<<h.low | acc&mask
		acc >>= h.low
		have -= h.low
		w := p.next() + unzigzag(z)
		p.saw(w)
		dst = append(dst, h.first+h.factor*w)
	}
	return dst, nil
}
