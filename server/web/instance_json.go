package web

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// chartsBody is what the scripted charts are drawn from: every chart of the page
// on one grid of times, null where there is no value.
type chartsBody struct {
	From    int64             `json:"from"` // Unix ms of the first point
	To      int64             `json:"to"`
	Step    float64           `json:"step"` // seconds
	Charts  map[string]onPage `json:"charts"`
	Stalls  [][2]int64        `json:"stalls"`
	Events  []eventOnPage     `json:"events"`
	Columns []string          `json:"columns"` // ids of the charts, in order
}

type onPage struct {
	Lines []lineOnPage `json:"lines"`
	Limit float64      `json:"limit,omitempty"`
	Band  *[2]float64  `json:"band,omitempty"`
}

type lineOnPage struct {
	Lo   figures `json:"lo,omitempty"` // absent where each point is one second
	Hi   figures `json:"hi"`
	Join float64 `json:"join"` // seconds: points further apart are not joined
}

type eventOnPage struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// figures are numbers of five significant figures; what is not a number is null.
type figures []float64

// MarshalJSON writes the list.
func (f figures) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 8*len(f)+2)
	out = append(out, '[')
	for i, v := range f {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, v, 'g', 5, 64)
	}
	return append(out, ']'), nil
}

// instanceCharts serves the numbers of the page's charts. With after= (Unix ms)
// only what is newer, and the few seconds before it, for readings that came late.
func (s *Server) instanceCharts(w http.ResponseWriter, r *http.Request) {
	ref, win, err := s.instanceQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	after, err := timeParam(r, "after")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	marks := s.chartMarks(r.Context(), ref, win)
	if late := after.Add(-5 * time.Second).Truncate(time.Second); !after.IsZero() && late.After(win.from) {
		win.from = late
	}
	if !win.from.Before(win.to) {
		win.from = win.to.Add(-time.Second)
	}
	set, err := s.chartSet(r.Context(), ref, win)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, chartsJSON(set, marks))
}

func chartsJSON(set chartSet, marks chartMarks) chartsBody {
	b := chartsBody{From: set.win.from.UnixMilli(), To: set.win.to.UnixMilli(), Step: set.step.Seconds(),
		Charts: map[string]onPage{}, Stalls: [][2]int64{}, Events: []eventOnPage{}, Columns: []string{}}
	for _, p := range set.charts {
		c := onPage{Limit: p.limit, Band: p.band}
		for _, l := range p.lines {
			line := lineOnPage{Hi: l.hi, Join: l.join.Seconds()}
			if set.step > time.Second {
				line.Lo = l.lo
			}
			c.Lines = append(c.Lines, line)
		}
		b.Charts[p.def.id] = c
		b.Columns = append(b.Columns, p.def.id)
	}
	for _, m := range marks.stalls {
		b.Stalls = append(b.Stalls, [2]int64{m[0].UnixMilli(), m[1].UnixMilli()})
	}
	for _, e := range marks.events {
		b.Events = append(b.Events, eventOnPage{e.At.UnixMilli(), shortened(e.Text, 34)})
	}
	return b
}
