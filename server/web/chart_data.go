package web

import (
	"context"
	"math"
	"time"

	"stallbook/store"
)

// chartPoints is how many buckets a window is cut into: about one a pixel, each
// with its lowest and highest second, so that a stall of 1 s stays as tall.
const chartPoints = 720

// plotted is one chart with its numbers on the grid from, from+step, ...
type plotted struct {
	def   chartDef
	lines []plottedLine
	limit float64 // in the chart's unit; 0: not known
	band  *[2]float64
	// learning: what is usual will be known, but there are not yet 60 s of data.
	learning bool
}

// plottedLine holds the lowest and highest second of each bucket; NaN where
// there is none. At a step of 1 s both are the same slice.
type plottedLine struct {
	def    lineDef
	lo, hi []float64
	join   time.Duration // buckets further apart are not joined
}

// chartSet is every chart of a window that has data.
type chartSet struct {
	win     timeWindow
	step    time.Duration
	charts  []plotted
	missing []chartDef
}

// chartSet reads the charts of an instance. The last minutes come from memory,
// so that a history that stopped does not stop the page.
func (s *Server) chartSet(ctx context.Context, ref store.Ref, w timeWindow) (chartSet, error) {
	set := chartSet{win: w, step: time.Second}
	extras := s.chartExtras(ref)
	memory := w.to.Sub(w.from) < store.WindowSeconds*time.Second && s.d.Now().Sub(w.from) < store.WindowSeconds*time.Second
	for _, def := range chartsFor(extras.role) {
		p := plotted{def: def, limit: extras.limits[def.limit] * def.factor()}
		if b, ok := extras.bands[def.lines[0].signal]; ok {
			p.band = &[2]float64{b[0] * def.factor(), b[1] * def.factor()}
		}
		p.learning = extras.learning[def.lines[0].signal]
		for _, l := range def.lines {
			line := plottedLine{def: l}
			var err error
			if memory {
				s.fromWindow(ref, w, &line)
			} else if set.step, err = s.fromHistory(ctx, ref, w, &line); err != nil {
				return set, err
			}
			if !line.scaled(def.factor()) {
				continue // no value in the window
			}
			line.join = max(joinOf(extras.every[l.signal]), set.step+set.step/2)
			p.lines = append(p.lines, line)
		}
		if len(p.lines) == 0 {
			set.missing = append(set.missing, def)
			continue
		}
		set.charts = append(set.charts, p)
	}
	return set, nil
}

func (s *Server) fromWindow(ref store.Ref, w timeWindow, line *plottedLine) {
	first := w.from.Unix()
	n := int(w.to.Unix()-first) + 1
	line.hi = blanks(n)
	s.d.Window.Read(func(v store.View) {
		in := v.Instance(ref)
		if in == nil {
			return
		}
		if series := in.Get(line.def.id(), ""); series != nil {
			for _, p := range series.Points(w.from, w.to) {
				line.hi[p.At.Unix()-first] = p.V
			}
		}
	})
	line.lo = line.hi
}

func (s *Server) fromHistory(ctx context.Context, ref store.Ref, w timeWindow, line *plottedLine) (time.Duration, error) {
	points := chartPoints
	if w.span <= 10*time.Minute {
		points = 0
	}
	step, buckets, err := s.d.History.Range(ctx, ref, line.def.signal, "", w.from, w.to, points)
	if err != nil {
		return step, err
	}
	step = max(step, time.Second)
	n := int(w.to.Sub(w.from)/step) + 1
	line.lo, line.hi = blanks(n), blanks(n)
	for _, b := range buckets {
		i := int((b.AtMs - w.from.UnixMilli()) / step.Milliseconds())
		if b.Gap || i < 0 || i >= n {
			continue
		}
		line.lo[i], line.hi[i] = b.Min, b.Max
	}
	if step == time.Second {
		line.lo = line.hi
	}
	return step, nil
}

func blanks(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// scaled brings the line into the chart's unit and reports whether it has a value.
func (l *plottedLine) scaled(factor float64) bool {
	any := false
	for i := range l.hi {
		if !math.IsNaN(l.hi[i]) {
			any = true
			l.hi[i] *= factor
		}
		if &l.lo[0] != &l.hi[0] {
			l.lo[i] *= factor
		}
	}
	return any
}

// chartExtras is what stands in a chart beside its lines.
type chartExtras struct {
	role     store.Role
	limits   map[string]float64 // by signal of the limit
	bands    map[string][2]float64
	learning map[string]bool
	every    map[string]time.Duration // how often the signal's source reads
}

func (s *Server) chartExtras(ref store.Ref) chartExtras {
	x := chartExtras{limits: map[string]float64{}, bands: map[string][2]float64{}, every: map[string]time.Duration{}, learning: map[string]bool{}}
	s.d.Window.Read(func(v store.View) {
		in := v.Instance(ref)
		if in == nil {
			return
		}
		sources := in.Sources()
		x.role = in.Role
		for _, def := range chartDefs {
			if l, ok := limitOf(in, def.lines[0].signal); ok && def.limit != "" {
				x.limits[def.limit] = l
			}
			for _, line := range def.lines {
				series := in.Get(line.id(), "")
				if series == nil {
					continue
				}
				x.every[line.signal] = everyOf(sources, series.Source)
				lo, ok := series.Baseline.Quantile(0.05)
				hi, ok2 := series.Baseline.Quantile(0.95)
				x.learning[line.signal] = series.Baseline != nil && !ok
				if ok && ok2 {
					x.bands[line.signal] = [2]float64{lo, hi}
				}
			}
		}
	})
	return x
}
