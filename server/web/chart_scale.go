package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"stallbook/store"
	"stallbook/views"
)

// scaleTop is the top of a zero-based scale that shows the values, the limit and
// the usual band with a little air, and the distance between its ticks.
func scaleTop(highest float64) (top, tick float64) {
	if highest <= 0 || math.IsNaN(highest) || math.IsInf(highest, 0) {
		return 1.12, 1
	}
	top = highest * 1.12
	raw := top / 3.5
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if tick = m * mag; tick >= raw {
			break
		}
	}
	return top, tick
}

// gridTicks are the lines of the grid from zero up.
func gridTicks(top, tick float64) []views.Tick {
	var out []views.Tick
	for v := 0.0; v <= top*0.97; v += tick {
		out = append(out, views.Tick{At: percent(1 - v/top), Label: tickLabel(v, tick)})
	}
	return out
}

// tickLabel writes the number of a grid line: 1,500 but 20k, and no more decimals
// than the ticks differ in.
func tickLabel(v, tick float64) string {
	if v >= 10000 && math.Mod(tick, 1000) == 0 {
		return store.Number(v/1000) + "k"
	}
	if math.Abs(v-math.Round(v)) < 1e-9 {
		return store.Number(math.Round(v))
	}
	decimals := int(math.Ceil(-math.Log10(tick)))
	if math.Abs(tick*math.Pow(10, float64(decimals))-math.Round(tick*math.Pow(10, float64(decimals)))) > 1e-9 {
		decimals++ // 0.25, 2.5
	}
	return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
}

// percent writes a share of 1 as an SVG percentage.
func percent(share float64) string {
	s := strconv.FormatFloat(100*share, 'f', 2, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	return s + "%"
}

// pathPoint is a corner of a path in the box of 1000 by 100 that the page stretches.
func pathPoint(cmd byte, x, y float64) string {
	return fmt.Sprintf("%c%s %s", cmd, num1(x), num1(min(100, max(0, y))))
}
