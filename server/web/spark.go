package web

import (
	"fmt"
	"math"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// sparkBox is the size of a spark line in its own units; the page stretches it.
const (
	sparkW = 240.0
	sparkH = 40.0
)

// sparkIn is what one spark line is drawn from.
type sparkIn struct {
	points   []store.Point
	from, to time.Time
	join     time.Duration // neighbours further apart than this have a gap between them
	limit    float64       // 0: none known
	hot      float64       // a last value from here on is drawn hot; 0: never
	calm     bool          // nothing wrong: drawn grey
	shade    [][2]time.Time
}

// sparkOf draws a spark line. Without a single point it is empty.
func sparkOf(in sparkIn) views.Spark {
	if len(in.points) == 0 || !in.to.After(in.from) {
		return views.Spark{}
	}
	top := in.limit
	for _, p := range in.points {
		top = max(top, p.V)
	}
	if top <= 0 {
		top = 1
	}
	top *= 1.12
	x := func(t time.Time) float64 {
		return sparkW * t.Sub(in.from).Seconds() / in.to.Sub(in.from).Seconds()
	}
	y := func(v float64) float64 { return sparkH - 1 - (sparkH-2)*v/top }
	s := views.Spark{Box: fmt.Sprintf("0 0 %g %g", sparkW, sparkH), Width: num1(sparkW)}
	for _, run := range runsOf(in.points, in.join) {
		if len(run) == 1 {
			s.Dots = append(s.Dots, fmt.Sprintf("M%s %sh0", num1(x(run[0].At)), num1(y(run[0].V))))
			continue
		}
		var d strings.Builder
		for i, p := range run {
			d.WriteByte("ML"[min(i, 1)])
			d.WriteString(num1(x(p.At)) + " " + num1(y(p.V)))
		}
		s.Lines = append(s.Lines, d.String())
	}
	if in.limit > 0 {
		s.Limit = num1(y(in.limit))
	}
	for _, w := range in.shade {
		a, b := max(0, x(w[0])), min(sparkW, x(w[1]))
		if b > 0 && a < sparkW {
			s.Shade = append(s.Shade, views.Rect{X: num1(a), Y: "0", W: num1(max(2, b-a)), H: num1(sparkH)})
		}
	}
	switch last := in.points[len(in.points)-1].V; {
	case in.hot > 0 && last >= in.hot:
		s.Tone = "hot"
	case in.calm:
		s.Tone = "calm"
	}
	return s
}

// runsOf cuts points where the time between neighbours is more than join.
func runsOf(points []store.Point, join time.Duration) [][]store.Point {
	var out [][]store.Point
	start := 0
	for i := range points {
		if i > 0 && points[i].At.Sub(points[i-1].At) > join {
			out = append(out, points[start:i])
			start = i
		}
	}
	return append(out, points[start:])
}

// joinOf is how far apart two readings of a source may lie and still be
// neighbours: a poll that comes a moment late skips a second and is no gap.
func joinOf(every time.Duration) time.Duration {
	return max(2*time.Second, every+every/2)
}

// num1 writes a coordinate with at most one decimal.
func num1(v float64) string {
	s := fmt.Sprintf("%.1f", math.Round(v*10)/10)
	return strings.TrimSuffix(s, ".0")
}
