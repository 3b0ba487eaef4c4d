package web

import (
	"math"
	"testing"
	"time"

	"stallbook/store"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		highest float64
		labels  []string
	}{
		{0, []string{"0", "1"}},
		{1, []string{"0", "0.5", "1"}},
		{7, []string{"0", "2.5", "5", "7.5"}},
		{60, []string{"0", "20", "40", "60"}},
		{1500, []string{"0", "500", "1,000", "1,500"}},
		{11137, []string{"0", "5,000", "10k"}},
		{0.004, []string{"0", "0.002", "0.004"}},
	} {
		top, tick := scaleTop(c.highest)
		ticks := gridTicks(top, tick)
		var got []string
		for _, k := range ticks {
			got = append(got, k.Label)
		}
		if !equalStrings(got, c.labels) {
			t.Errorf("up to %v: ticks %q, want %q", c.highest, got, c.labels)
		}
		if top <= c.highest {
			t.Errorf("up to %v: the top %v cuts it off", c.highest, top)
		}
		if ticks[0].At != "100%" {
			t.Errorf("up to %v: zero stands at %s", c.highest, ticks[0].At)
		}
	}
}

func equalStrings(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func setOf(n int, step time.Duration) chartSet {
	w := ranges[0]
	w.from, w.to = noon.Add(-time.Duration(n-1)*step), noon
	return chartSet{win: w, step: step}
}

// A stall of one second is as tall in six hours as in five minutes.
func TestOneSecondSurvivesTheDrawing(t *testing.T) {
	l := plottedLine{lo: blanks(721), hi: blanks(721), join: 45 * time.Second}
	for i := range l.hi {
		l.lo[i], l.hi[i] = 3, 5
	}
	l.hi[377] = 1173
	cols, step := columns(l, 30*time.Second)
	if len(cols) > svgColumns+1 {
		t.Errorf("%d columns", len(cols))
	}
	best, low := 0.0, math.Inf(1)
	for _, c := range cols {
		best, low = max(best, c.hi), min(low, c.lo)
	}
	if best != 1173 || low != 3 {
		t.Errorf("highest %v, lowest %v", best, low)
	}
	if len(columnRuns(cols, l.join+step, step)) != 1 {
		t.Error("an unbroken line is cut")
	}
}

func TestGapsAreFoundAndLateSecondsAreNone(t *testing.T) {
	set := setOf(301, time.Second)
	hi := blanks(301)
	for i := range hi {
		if i < 100 || i >= 130 && i < 298 && i != 200 {
			hi[i] = 1
		}
	}
	p := plotted{def: chartDefs[0], lines: []plottedLine{{lo: hi, hi: hi, join: joinOf(time.Second)}}}
	gaps := p.gaps(set)
	if len(gaps) != 1 || gaps[0].X != "33%" {
		t.Fatalf("gaps: %+v, want one from 33%% on", gaps)
	}
	s := seriesView(p.lines[0], set, 10, false)
	if len(s.Lines) != 2 {
		t.Errorf("%d lines, want two around the gap", len(s.Lines))
	}
}

// A source that reads each minute draws a line, not 60 gaps.
func TestSlowSourceIsNoGap(t *testing.T) {
	set := setOf(301, time.Second)
	hi := blanks(301)
	for i := 0; i < 301; i += 60 {
		hi[i] = 2
	}
	p := plotted{def: chartDefs[0], lines: []plottedLine{{lo: hi, hi: hi, join: joinOf(time.Minute)}}}
	if gaps := p.gaps(set); len(gaps) != 0 {
		t.Errorf("gaps: %+v", gaps)
	}
	if s := seriesView(p.lines[0], set, 10, false); len(s.Lines) != 1 {
		t.Errorf("%d lines", len(s.Lines))
	}
}

func TestChartMarksLimitBandStallAndWorst(t *testing.T) {
	set := setOf(301, time.Second)
	hi := blanks(301)
	for i := range hi {
		hi[i] = 4
	}
	hi[150] = 835
	p := plotted{def: chartDefs[0], limit: 900, band: &[2]float64{3, 6}, lines: []plottedLine{{def: chartDefs[0].lines[0], lo: hi, hi: hi, join: 2 * time.Second}}}
	at := noon.Add(-150 * time.Second)
	c := chartView(p, set, chartMarks{stalls: [][2]time.Time{{at, at.Add(6 * time.Second)}}, events: []store.Event{{At: at, Text: "promotion"}}}, true, true)
	if c.Callout == nil || c.Callout.Label != "835 ms at "+clock(at) {
		t.Errorf("the worst second is not named: %+v", c.Callout)
	}
	if c.Limit == nil || c.Limit.Label != "limit 900 ms" {
		t.Errorf("limit: %+v", c.Limit)
	}
	if c.Band == nil || len(c.Windows) != 1 || c.Windows[0].X != "50%" || c.Windows[0].W != "2%" {
		t.Errorf("band %+v, stall %+v", c.Band, c.Windows)
	}
	if len(c.Events) != 1 || c.Events[0].Label != "promotion" {
		t.Errorf("events: %+v", c.Events)
	}
	if c = chartView(p, set, chartMarks{}, false, false); c.Callout != nil {
		t.Error("a calm chart has a callout")
	}
}

func TestChartsOfARole(t *testing.T) {
	has := func(role store.Role, id string) bool {
		for _, d := range chartsFor(role) {
			if d.id == id {
				return true
			}
		}
		return false
	}
	if has(store.RolePrimary, "lag") || !has(store.RoleStandby, "lag") || has(store.RoleStandby, "wal") || !has(store.RoleUnknown, "lag") {
		t.Error("a chart stands where it means nothing, or is missing where it does")
	}
	if chartsFor(store.RoleStandby)[0].id != "lag" {
		t.Error("on a standby its lag comes first")
	}
}
