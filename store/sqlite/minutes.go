package sqlite

import (
	"math"
	"slices"
	"strings"

	"stallbook/store"
)

const (
	minuteSeconds = 60
	daySeconds    = 86400
	blockMinutes  = blockSeconds / minuteSeconds
	dayMinutes    = daySeconds / minuteSeconds
)

// minute is the roll-up of one minute of one series. Count 0 is no data.
type minute struct {
	lo, hi, mean float64
	count        int64
}

// seconds is a series at one second, NaN where there is no value.
type seconds []float64

func newSeconds(n int) seconds {
	s := make(seconds, n)
	for i := range s {
		s[i] = math.NaN()
	}
	return s
}

// fold appends the minutes of s, which begins at a full minute.
func (s seconds) fold(out []minute) []minute {
	for at := 0; at < len(s); at += minuteSeconds {
		m := minute{lo: math.Inf(1), hi: math.Inf(-1)}
		sum := 0.0
		for _, v := range s[at:min(at+minuteSeconds, len(s))] {
			if math.IsNaN(v) {
				continue
			}
			m.lo, m.hi = min(m.lo, v), max(m.hi, v)
			sum += v
			m.count++
		}
		if m.count > 0 {
			m.mean = sum / float64(m.count)
		}
		out = append(out, m)
	}
	return out
}

// blockValues turns a block's columns of one series into values.
func blockValues(info *store.Signal, col, elapsed, over column) seconds {
	out := newSeconds(blockSeconds)
	if info.Kind != store.Rate {
		col.valid.each(func(row, rank int) { out[row] = float64(col.vals[rank]) * info.Scale })
		return out
	}
	var us [blockSeconds]int64
	fill := func(row, rank int, c column) { us[row] = c.vals[rank] }
	elapsed.valid.each(func(row, rank int) { fill(row, rank, elapsed) })
	over.valid.each(func(row, rank int) { fill(row, rank, over) })
	col.valid.each(func(row, rank int) {
		if us[row] > 0 {
			out[row] = float64(col.vals[rank]) * info.Scale / (float64(us[row]) / 1e6)
		}
	})
	return out
}

// minutes encodes the roll-up of a block: of its series, and of the signals
// derived from them. It must run before cols are encoded, which consumes them.
func (w *writer) minutes(db *DB, b *openBlock, cols []column) []byte {
	part := map[int64][]minute{}
	find := func(key uint64) column {
		if i := slices.IndexFunc(cols, func(c column) bool { return c.key == key }); i >= 0 {
			return cols[i]
		}
		return column{}
	}
	elapsed := map[int64]column{}
	for _, s := range b.inst.streams {
		elapsed[s.id] = find(elapsedKey(s.id))
	}
	inputs := map[seriesName][]sourced{}
	for _, c := range cols {
		if c.key&3 != keySeries {
			continue
		}
		ser := db.mem.seriesByID[int64(c.key>>2)]
		if ser == nil {
			continue
		}
		info, known := ser.info()
		if !known {
			continue
		}
		var over column
		if info.Kind == store.Rate {
			over = find(overrideKey(ser.id))
		}
		v := blockValues(info, c, elapsed[ser.stream.id], over)
		part[ser.id] = v.fold(nil)
		if derivedFrom[ser.signal] {
			n := seriesName{ser.signal, ser.label}
			inputs[n] = append(inputs[n], sourced{ser.stream.source, v})
		}
	}
	w.deriveMinutes(db, b, inputs, part)
	return w.encodePart(part)
}

// deriveMinutes adds the roll-ups of derived signals, kept as a stream of their own.
func (w *writer) deriveMinutes(db *DB, b *openBlock, inputs map[seriesName][]sourced, part map[int64][]minute) {
	if len(inputs) == 0 {
		return
	}
	merged := map[seriesName]seconds{}
	for n, list := range inputs {
		merged[n] = mergeSources(n.signal, list)
	}
	day := b.slot * blockSeconds / daySeconds
	for _, d := range derived {
		for _, label := range labelsOf(d, merged) {
			v := derive(d, label, merged, blockSeconds)
			mins := v.fold(nil)
			if slices.ContainsFunc(mins, func(x minute) bool { return x.count > 0 }) {
				db.mu.Lock() // readers use the dictionary
				s := db.mem.stream(b.inst, derivedSource)
				id := db.mem.series(s, seriesName{d.Signal, label}, day).id
				db.mu.Unlock()
				part[id] = mins
			}
		}
	}
}

// labelsOf lists the labels for which a derivation has an input.
func labelsOf(d store.Derivation, in map[seriesName]seconds) []string {
	var labels []string
	for n := range in {
		if slices.Contains(d.Inputs, n.signal) && !slices.Contains(labels, n.label) {
			labels = append(labels, n.label)
		}
	}
	slices.SortFunc(labels, strings.Compare)
	return labels
}
