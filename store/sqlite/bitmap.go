package sqlite

import "math/bits"

// bitmap says which rows of a column have a value. Bit i of word i/64 is row i.
type bitmap []uint64

func newBitmap(rows int) bitmap { return make(bitmap, (rows+63)/64) }

func (b bitmap) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every set row in order and its rank among the set rows.
func (b bitmap) each(f func(row, rank int)) {
	rank := 0
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(i<<6+bits.TrailingZeros64(w), rank)
			rank++
		}
	}
}
