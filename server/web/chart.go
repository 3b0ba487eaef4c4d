package web

import (
	"math"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// svgColumns bounds how many buckets the server's drawing has; more would only
// make the page heavy, and each keeps its lowest and highest second.
const svgColumns = 300

// chartMarks is what is drawn across all charts of a stack.
type chartMarks struct {
	stalls [][2]time.Time
	events []store.Event
}

// chartView draws one chart. first carries the labels of the events, axis the
// times along the foot.
func chartView(p plotted, set chartSet, marks chartMarks, first, axis bool) views.Chart {
	highest, worst := p.highest()
	top, tick := scaleTop(max(highest, p.limit, p.bandTop()))
	c := views.Chart{ID: p.def.id, Title: p.def.title, Scope: p.scope(), Unit: p.def.unit, Axis: axis,
		Ticks: gridTicks(top, tick), Times: set.win.ticks()}
	c.Label = p.def.title + " over " + set.win.says() + ": highest " + store.Quantity(highest, p.def.unit) + ". The same numbers stand in the table below."
	for _, l := range p.lines {
		c.Series = append(c.Series, seriesView(l, set, top, len(p.def.lines) > 1))
	}
	if p.limit > 0 {
		c.Limit = &views.Point{Y: percent(1 - p.limit/top), Label: "limit " + store.Quantity(p.limit, p.def.unit)}
	}
	if p.band != nil {
		c.Band = &views.Rect{Y: percent(1 - p.band[1]/top), H: percent(max(0.012, (p.band[1]-p.band[0])/top))}
	}
	for _, s := range marks.stalls {
		c.Windows = append(c.Windows, span(set.win, s[0], s[1]))
	}
	c.Gaps = p.gaps(set)
	for i, e := range marks.events {
		pt := views.Point{X: percent(set.win.share(e.At)), Y: percent(0.11 * float64(i%3)), Flip: set.win.share(e.At) > 0.6}
		if first {
			pt.Label = shortened(e.Text, 34)
		}
		c.Events = append(c.Events, pt)
	}
	if first && len(marks.stalls) > 0 && worst >= 0 {
		at := set.win.from.Add(time.Duration(worst) * set.step)
		x := set.win.share(at)
		c.Callout = &views.Point{X: percent(x), Y: percent(1 - highest/top), Flip: x > 0.6,
			Label: store.Quantity(highest, p.def.unit) + " at " + clock(at)}
	}
	return c
}

func (p plotted) highest() (v float64, at int) {
	at = -1
	for _, l := range p.lines {
		for i, hi := range l.hi {
			if hi > v {
				v, at = hi, i
			}
		}
	}
	return v, at
}

func (p plotted) bandTop() float64 {
	if p.band == nil {
		return 0
	}
	return p.band[1]
}

func (p plotted) scope() string {
	if p.def.limit != "" && p.limit == 0 {
		return "limit not known"
	}
	if p.learning {
		return "usual not known yet"
	}
	return p.def.scope
}

func seriesView(l plottedLine, set chartSet, top float64, named bool) views.Series {
	s := views.Series{Class: l.def.class}
	if named {
		s.Name = l.def.name
	}
	for i := len(l.hi) - 1; i >= 0; i-- {
		if !math.IsNaN(l.hi[i]) {
			s.Last = views.Qty{Num: store.Number(l.hi[i])}
			break
		}
	}
	cols, step := columns(l, set.step)
	total := set.win.to.Sub(set.win.from)
	x := func(i int) float64 { return 1000 * float64(time.Duration(i)*step) / float64(total) }
	y := func(v float64) float64 { return 100 - 100*v/top }
	for _, run := range columnRuns(cols, max(l.join, step+step/2), step) {
		var up, down strings.Builder
		for k, i := range run {
			up.WriteString(pathPoint("ML"[min(k, 1)], x(i), y(cols[i].hi)))
		}
		if len(run) == 1 {
			up.WriteString("h1.5") // a lone second is drawn as a short dash
		}
		s.Lines = append(s.Lines, up.String())
		if step > time.Second && len(run) > 1 {
			for k := len(run) - 1; k >= 0; k-- {
				down.WriteString(pathPoint('L', x(run[k]), y(cols[run[k]].lo)))
			}
			s.Fills = append(s.Fills, up.String()+down.String()+"z")
		}
	}
	return s
}

// column is the lowest and highest second of one column of the drawing.
type column struct{ lo, hi float64 }

// columns merges buckets until they fit the drawing.
func columns(l plottedLine, step time.Duration) ([]column, time.Duration) {
	every := (len(l.hi) + svgColumns) / (svgColumns + 1)
	every = max(1, every)
	out := make([]column, 0, len(l.hi)/every+1)
	for i := 0; i < len(l.hi); i += every {
		c := column{math.NaN(), math.NaN()}
		for k := i; k < min(i+every, len(l.hi)); k++ {
			if !math.IsNaN(l.hi[k]) && !(l.hi[k] <= c.hi) {
				c.hi = l.hi[k]
			}
			if !math.IsNaN(l.lo[k]) && !(l.lo[k] >= c.lo) {
				c.lo = l.lo[k]
			}
		}
		out = append(out, c)
	}
	return out, step * time.Duration(every)
}

// columnRuns lists the stretches of columns with values that are not further
// apart than join.
func columnRuns(cols []column, join, step time.Duration) [][]int {
	var out [][]int
	last := -1
	for i, c := range cols {
		if math.IsNaN(c.hi) {
			continue
		}
		if last < 0 || time.Duration(i-last)*step > join {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
		last = i
	}
	return out
}

// gaps are the stretches in which none of the chart's lines has a value.
func (p plotted) gaps(set chartSet) []views.Rect {
	var out []views.Rect
	join := p.lines[0].join
	n := len(p.lines[0].hi)
	last := 0
	for i := 0; i <= n; i++ {
		has := i == n
		for _, l := range p.lines {
			has = has || i < n && !math.IsNaN(l.hi[i])
		}
		if !has {
			continue
		}
		// The newest seconds have not arrived yet: that is no gap.
		if d := time.Duration(i-last) * set.step; d > join && (i < n || d > join+3*time.Second) {
			out = append(out, span(set.win, set.win.from.Add(time.Duration(last)*set.step), set.win.from.Add(time.Duration(min(i, n-1))*set.step)))
		}
		last = i
	}
	return out
}

// span is a stretch of time across the plot, never thinner than can be seen.
func span(w timeWindow, from, to time.Time) views.Rect {
	a, b := max(0, w.share(from)), min(1, w.share(to))
	return views.Rect{X: percent(a), W: percent(max(0.003, b-a))}
}

func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimRight(string(r[:n-1]), " ,;:") + "…"
	}
	return s
}
