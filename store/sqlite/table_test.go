package sqlite

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func newReader(t testing.TB) *tableReader {
	t.Helper()
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxTableMemory))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.Close)
	return &tableReader{z: z}
}

func newEncoder(t testing.TB) *tableEncoder {
	t.Helper()
	e, err := newTableEncoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shapes of columns: what sources give, and what they should never give.
func randomColumn(r *rand.Rand, rows int) column {
	c := column{key: r.Uint64N(1 << 40), valid: newBitmap(rows)}
	share := []float64{1, 1, 0.5, 0.02, 0}[r.IntN(5)]
	kind, v, step := r.IntN(7), r.Int64N(1e6), int64(1)<<r.IntN(30)
	for i := range rows {
		if r.Float64() >= share {
			continue
		}
		switch kind {
		case 0: // constant
		case 1: // noise around a level, in multiples
			v = 4096 * step * r.Int64N(9)
		case 2: // walk
			v += r.Int64N(2*step+1) - step
		case 3: // growing
			v += step + r.Int64N(3)
		case 4: // mostly zero
			v = 0
			if r.IntN(50) == 0 {
				v = r.Int64N(1 << 40)
			}
		case 5: // anything
			v = int64(r.Uint64())
		case 6: // the edges
			v = []int64{math.MinInt64, math.MaxInt64, 0, -1, 1}[r.IntN(5)]
		}
		c.valid.set(i)
		c.vals = append(c.vals, v)
	}
	return c
}

func checkTable(t *testing.T, e *tableEncoder, r *tableReader, rows int, cols []column) {
	t.Helper()
	want := map[uint64]column{}
	in := make([]column, 0, len(cols))
	for _, c := range cols {
		if _, twice := want[c.key]; !twice {
			want[c.key] = column{c.key, c.valid, slices.Clone(c.vals)}
			in = append(in, c)
		}
	}
	blob := e.encode(nil, rows, in)
	if err := r.open(blob); err != nil {
		t.Fatal(err)
	}
	if r.rows != rows || len(r.heads) != len(want) {
		t.Fatalf("table has %d rows and %d columns, want %d and %d", r.rows, len(r.heads), rows, len(want))
	}
	for key, w := range want {
		i := r.find(key)
		if i < 0 {
			t.Fatalf("column %d is gone", key)
		}
		valid, vals, err := r.column(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(valid, w.valid) || !slices.Equal(vals, w.vals) {
			t.Fatalf("column %d came back as %v, want %v", key, vals, w.vals)
		}
	}
}

func TestTableGivesBackWhatWentIn(t *testing.T) {
	e, r := newEncoder(t), newReader(t)
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		rows := 1 + rnd.IntN(700)
		cols := make([]column, rnd.IntN(30))
		for i := range cols {
			cols[i] = randomColumn(rnd, rows)
		}
		checkTable(t, e, r, rows, cols)
	}
}

// Every damaged table is an error or another table, never a panic; what can be
// decoded can be encoded and decoded again to the same.
func FuzzTable(f *testing.F) {
	e, err := newTableEncoder()
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		f.Add(e.encode(nil, 100, []column{randomColumn(rnd, 100), randomColumn(rnd, 100)}), uint16(seed*7), byte(seed))
	}
	f.Fuzz(func(t *testing.T, blob []byte, at uint16, flip byte) {
		r := newReader(t)
		if len(blob) > 0 {
			blob[int(at)%len(blob)] ^= flip
		}
		if r.open(blob) != nil || r.rows == 0 {
			return
		}
		var cols []column
		for i := range r.heads {
			valid, vals, err := r.column(i, nil)
			if err != nil {
				return
			}
			cols = append(cols, column{r.heads[i].key, slices.Clone(valid), vals})
		}
		checkTable(t, newEncoder(t), newReader(t), r.rows, cols)
	})
}

// FuzzParse feeds the head parser itself, past zstd's checksum.
func FuzzParse(f *testing.F) {
	f.Add([]byte{8, 1, 0xff, 1, 4, 0, 2, 3, 2, 2, 0, 1, 2, 3, 4, 5, 6, 7}, []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, body, low []byte) {
		r := &tableReader{buf: body, low: low}
		if r.parse() != nil {
			return
		}
		for i := range r.heads {
			_, vals, err := r.column(i, nil)
			if err == nil && len(vals) != r.heads[i].count {
				t.Fatalf("column %d has %d values, its head says %d", i, len(vals), r.heads[i].count)
			}
		}
	})
}

func TestRollupValuesKeepFourDigitsAndOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 10000 {
		v := rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(18)-9))
		got := unorder(order(v))
		if math.Abs(got-v) > 6.2e-5*math.Abs(v)+1e-37 {
			t.Fatalf("%g came back as %g", v, got)
		}
		w := v + math.Abs(v)*0.001
		if order(w) <= order(v) {
			t.Fatalf("%g < %g but not in their keys", v, w)
		}
	}
	for _, v := range []float64{0, 1, 500, 16383, -3} {
		if unorder(order(v)) != v {
			t.Errorf("%g came back as %g", v, unorder(order(v)))
		}
	}
}
