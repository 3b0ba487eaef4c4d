package sqlite

import (
	"encoding/binary"
	"math/bits"
)

// cursor reads a head; after the end or on nonsense bad is set and zeros come.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) varint() int64 { return unzigzag(c.uvarint()) }

func (c *cursor) byte() byte {
	if len(c.b) == 0 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *cursor) bitmap(rows int) bitmap {
	size := (rows + 7) / 8
	if len(c.b) < size {
		c.bad = true
		return nil
	}
	m := newBitmap(rows)
	for i, v := range c.b[:size] {
		m[i>>3] |= uint64(v) << (i & 7 * 8)
	}
	if rows&63 != 0 {
		last := &m[len(m)-1]
		if bits.Len64(*last) > rows&63 {
			c.bad = true
		}
	}
	c.b = c.b[size:]
	return m
}

func (c *cursor) head(maps []bitmap) columnHead {
	h := columnHead{key: c.uvarint()}
	at := c.uvarint()
	if at >= uint64(len(maps)) {
		c.bad = true
		return h
	}
	h.bitmap, h.count = int(at), maps[at].count()
	h.mode, h.low = int(c.byte()), uint(c.byte())
	h.first = c.varint()
	if h.mode >= modes || h.low > maxLowBits {
		c.bad = true
	}
	if h.mode == modeConst || c.bad {
		return h
	}
	h.factor = c.varint()
	esc := c.uvarint()
	if esc > maxTableMemory {
		c.bad = true
		return h
	}
	h.escLen = int(esc)
	if h.mode == modeCentre {
		h.centre = c.varint()
	}
	return h
}
