package web

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// stackView lays the charts out in two columns, filled in turn, so that related
// ones stand side by side and both columns end at about the same height.
func (s *Server) stackView(ctx context.Context, ref store.Ref, set chartSet, v views.Instance) views.Stack {
	st := views.Stack{
		ID: "charts", Range: set.win.key, Live: set.win.live && set.step == time.Second, Diag: s.link("/diagnosis") + query("cluster", ref.Cluster, "instance", ref.Instance),
		Data: s.instanceLink(ref) + "/charts.json" + query("range", set.win.key, "to", atUnlessLive(set.win)), FromMs: millis(set.win.from), ToMs: millis(set.win.to),
	}
	marks := s.chartMarks(ctx, ref, set.win)
	n := len(set.charts)
	for i, p := range set.charts {
		axis := i >= n-2
		c := chartView(p, set, marks, i == 0, axis)
		if i%2 == 0 {
			st.Left = append(st.Left, c)
		} else {
			st.Right = append(st.Right, c)
		}
	}
	return st
}

// chartMarks reads what is drawn across the charts. Events that can't be read are
// left out: the charts stand without them.
func (s *Server) chartMarks(ctx context.Context, ref store.Ref, win timeWindow) chartMarks {
	var m chartMarks
	now := s.d.Now().UTC()
	stalls, err := s.stallsIn(ctx, ref, win, now)
	if err != nil {
		slog.Warn("the stalls of a chart can't be read", "instance", ref.String(), "error", err)
	}
	for _, in := range stalls {
		m.stalls = append(m.stalls, [2]time.Time{in.OpenedAt, in.OpenedAt.Add(in.Duration(now))})
	}
	events, err := s.d.History.Events(ctx, ref, win.from, win.to)
	if err != nil {
		slog.Warn("the events of a chart can't be read", "instance", ref.String(), "error", err)
	}
	for _, e := range events {
		if !slices.Contains([]string{"incident", "run", "source"}, e.Kind) && len(m.events) < 6 {
			m.events = append(m.events, e)
		}
	}
	return m
}

// twinRows is how many rows the table of the charts has at most.
const twinRows = 60

// twinOf is the table of the same numbers, newest first: the highest second of
// each stretch of every line.
func twinOf(set chartSet) views.Twin {
	n := len(set.charts[0].lines[0].hi)
	every := (n + twinRows - 1) / twinRows
	t := views.Twin{Head: []string{"From"}}
	t.Says = "A row is " + lasted(time.Duration(every)*set.step) + " and holds the highest second of each; a dash is a stretch without a reading. As of " + clock(set.win.to) + "."
	for _, p := range set.charts {
		for _, l := range p.lines {
			head := p.def.title
			if len(p.lines) > 1 {
				head += " " + l.def.name
			}
			if p.def.unit != "" {
				head += ", " + p.def.unit
			}
			t.Head = append(t.Head, head)
		}
	}
	layout := "15:04:05"
	if set.win.span > 24*time.Hour {
		layout = "2 Jan 15:04"
	}
	for start := (n - 1) / every * every; start >= 0; start -= every {
		row := []string{set.win.from.Add(time.Duration(start) * set.step).Format(layout)}
		for _, p := range set.charts {
			for _, l := range p.lines {
				row = append(row, highestOf(l.hi[start:min(start+every, n)]))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func highestOf(values []float64) string {
	best, ok := 0.0, false
	for _, v := range values {
		if v >= best {
			best, ok = v, true
		}
	}
	if !ok {
		return "–"
	}
	return store.Number(best)
}
