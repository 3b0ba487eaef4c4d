package store

import (
	"math"
	"slices"
	"time"
)

// Series is one signal of one instance, for one label, in the Window.
type Series struct {
	Signal   SignalID
	Label    string
	Source   string
	Baseline *Baseline // nil when no signature asks for it

	newest int64 // Unix second, 0 = empty
	ring   [WindowSeconds]float64
}

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
	case s.newest == 0 || sec-s.newest >= WindowSeconds:
		for i := range s.ring {
			s.ring[i] = math.NaN()
		}
		s.newest = sec
	case sec > s.newest:
		for t := s.newest + 1; t < sec; t++ {
			s.ring[t%WindowSeconds] = math.NaN()
		}
		s.newest = sec
	case s.newest-sec >= WindowSeconds:
		return // too late to be seen
	}
	s.ring[sec%WindowSeconds] = v
}

// At returns the value of one second.
func (s *Series) At(sec int64) (float64, bool) {
	if s.newest == 0 || sec > s.newest || s.newest-sec >= WindowSeconds {
		return 0, false
	}
	v := s.ring[sec%WindowSeconds]
	return v, !math.IsNaN(v)
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
