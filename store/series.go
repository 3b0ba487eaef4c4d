package store

import (
	"math"
	"slices"
	"time"
)

// Series is one signal of one instance, for one label, in the Window. Readings
// of every second are held in a ring; those that come every ten seconds or more,
// as the counters of each table do, as a short list: a fifth of the memory.
type Series struct {
	Signal   SignalID
	Label    string
	Source   string
	Baseline *Baseline // nil when no signature asks for it

	newest int64    // Unix second, 0 = empty
	gaps   [2]int64 // seconds between the last three readings
	sparse []second
	ring   []float64 // WindowSeconds long, NaN where nothing was read; nil while sparse
}

type second struct {
	sec int64
	v   float64
}

// sparseLimit is how many readings a list holds before it becomes a ring: more
// in WindowSeconds than one every five seconds.
const sparseLimit = WindowSeconds / 5

// accepts decides between two sources of one signal: the more trusted one
// writes, the other only when that has been silent for five seconds.
func (s *Series) accepts(source string, sec int64) bool {
	if s.newest == 0 || s.Source == source || sec-s.newest > 5 {
		return true
	}
	order := s.Signal.Info().Sources
	return slices.Index(order, source) < slices.Index(order, s.Source)
}

func (s *Series) put(sec int64, v float64) {
	switch {
	case s.newest-sec >= WindowSeconds:
		return // too late to be seen
	case s.ring == nil:
		s.putSparse(sec, v)
	case sec-s.newest >= WindowSeconds:
		s.clear()
		s.ring[sec%WindowSeconds] = v
	default:
		for t := s.newest + 1; t < sec; t++ {
			s.ring[t%WindowSeconds] = math.NaN()
		}
		s.ring[sec%WindowSeconds] = v
	}
	if s.newest != 0 && sec > s.newest {
		s.gaps[0], s.gaps[1] = s.gaps[1], sec-s.newest
	}
	s.newest = max(s.newest, sec)
}

// Cadence is how many seconds lie between two readings: the smaller of the last
// two gaps, so that one missed reading changes nothing. 0 = not known yet.
func (s *Series) Cadence() int64 { return min(s.gaps[0], s.gaps[1]) }

func (s *Series) putSparse(sec int64, v float64) {
	i, found := slices.BinarySearchFunc(s.sparse, sec, func(p second, sec int64) int { return int(p.sec - sec) })
	if found {
		s.sparse[i].v = v
		return
	}
	s.sparse = slices.Insert(s.sparse, i, second{sec, v})
	newest := s.sparse[len(s.sparse)-1].sec
	s.sparse = slices.DeleteFunc(s.sparse, func(p second) bool { return newest-p.sec >= WindowSeconds })
	if len(s.sparse) <= sparseLimit {
		return
	}
	s.ring = make([]float64, WindowSeconds)
	s.clear()
	for _, p := range s.sparse {
		s.ring[p.sec%WindowSeconds] = p.v
	}
	s.sparse = nil
}

func (s *Series) clear() {
	for i := range s.ring {
		s.ring[i] = math.NaN()
	}
}

// At returns the value of one second.
func (s *Series) At(sec int64) (float64, bool) {
	if s.ring == nil || uint64(s.newest-sec) >= WindowSeconds { // also what is newer than the newest
		return s.sparseAt(sec)
	}
	v := s.ring[sec%WindowSeconds]
	return v, !math.IsNaN(v)
}

// Values appends the values of the seconds from to to, both included, to buf; NaN
// where nothing was read. It is At for those who want a whole window.
func (s *Series) Values(buf []float64, from, to int64) []float64 {
	if s.ring == nil {
		for sec := from; sec <= to; sec++ {
			v, ok := s.sparseAt(sec)
			if !ok {
				v = math.NaN()
			}
			buf = append(buf, v)
		}
		return buf
	}
	for sec := from; sec <= to; sec++ {
		v := s.ring[uint64(sec)%WindowSeconds]
		if uint64(s.newest-sec) >= WindowSeconds {
			v = math.NaN()
		}
		buf = append(buf, v)
	}
	return buf
}

// sparseAt looks from the newest end, where clauses look.
func (s *Series) sparseAt(sec int64) (float64, bool) {
	for i := len(s.sparse) - 1; i >= 0 && s.sparse[i].sec >= sec; i-- {
		if s.sparse[i].sec == sec {
			return s.sparse[i].v, s.newest-sec < WindowSeconds
		}
	}
	return 0, false
}

// Last returns the newest value.
func (s *Series) Last() (Point, bool) {
	v, ok := s.At(s.newest)
	return Point{time.Unix(s.newest, 0).UTC(), v}, ok
}

// Points returns the values of the seconds from to to, both included; seconds
// without a value are left out.
func (s *Series) Points(from, to time.Time) []Point {
	var out []Point
	for sec := max(from.Unix(), s.newest-WindowSeconds+1); sec <= min(to.Unix(), s.newest); sec++ {
		if v, ok := s.At(sec); ok {
			out = append(out, Point{time.Unix(sec, 0).UTC(), v})
		}
	}
	return out
}
