package web

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

func seconds(from time.Time, values ...float64) []store.Point {
	var out []store.Point
	for i, v := range values {
		if v >= 0 { // below zero: no reading in that second
			out = append(out, store.Point{At: from.Add(time.Duration(i) * time.Second), V: v})
		}
	}
	return out
}

func TestSparkBreaksAtAGap(t *testing.T) {
	from := noon.Add(-10 * time.Second)
	s := sparkOf(sparkIn{points: seconds(from, 1, 2, 3, -1, -1, -1, 4, 5), from: from, to: noon, join: 2 * time.Second})
	if len(s.Lines) != 2 {
		t.Fatalf("a gap of three seconds is bridged: %q", s.Lines)
	}
	s = sparkOf(sparkIn{points: seconds(from, 1, 2, -1, 3, 4), from: from, to: noon, join: joinOf(time.Second)})
	if len(s.Lines) != 1 {
		t.Errorf("a poll that came late makes a gap: %q", s.Lines)
	}
	s = sparkOf(sparkIn{points: seconds(from, 1, -1, -1, -1, 9, -1, -1, -1, 2), from: from, to: noon, join: 2 * time.Second})
	if len(s.Lines) != 0 || len(s.Dots) != 3 {
		t.Errorf("lone seconds vanish: lines %q dots %q", s.Lines, s.Dots)
	}
}

func TestSparkAgainstItsLimit(t *testing.T) {
	from := noon.Add(-4 * time.Second)
	in := sparkIn{points: seconds(from, 10, 500, 500, 500), from: from, to: noon, join: 2 * time.Second, limit: 500, hot: 475, calm: true}
	s := sparkOf(in)
	if s.Tone != "hot" || s.Limit == "" {
		t.Errorf("at its limit: tone %q, limit at %q", s.Tone, s.Limit)
	}
	in.points = seconds(from, 500, 10, 10, 10)
	if s = sparkOf(in); s.Tone != "calm" {
		t.Errorf("below its limit again: tone %q", s.Tone)
	}
	in.limit, in.hot = 0, 0
	if s = sparkOf(in); s.Limit != "" {
		t.Error("a limit that is not known is drawn")
	}
}

func TestSparkWithoutDataIsEmpty(t *testing.T) {
	if s := sparkOf(sparkIn{from: noon.Add(-time.Minute), to: noon}); s.Box != "" {
		t.Errorf("drawn from nothing: %+v", s)
	}
	s := sparkOf(sparkIn{points: seconds(noon, 0, 0, 0), from: noon, to: noon.Add(3 * time.Second), join: 2 * time.Second})
	if len(s.Lines) != 1 || strings.Contains(s.Lines[0], "NaN") {
		t.Errorf("zeros: %q", s.Lines)
	}
}

func TestSparkShadesWhatIsInView(t *testing.T) {
	from := noon.Add(-100 * time.Second)
	in := sparkIn{points: seconds(from, 1, 1), from: from, to: noon, join: 2 * time.Second,
		shade: [][2]time.Time{{noon.Add(-300 * time.Second), noon.Add(-200 * time.Second)}, {noon.Add(-50 * time.Second), noon}}}
	s := sparkOf(in)
	if len(s.Shade) != 1 || s.Shade[0].X != "120" || s.Shade[0].W != "120" {
		t.Errorf("shades: %+v", s.Shade)
	}
}
