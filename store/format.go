package store

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Span writes a duration for a person, to the second: 77 s, 2 min 05 s, 3 h 20 min,
// 4 d 2 h. A negative one is 0 s.
func Span(d time.Duration) string {
	sec := int(max(0, d).Round(time.Second) / time.Second)
	switch {
	case sec < 120:
		return fmt.Sprintf("%d s", sec)
	case sec < 7200:
		return fmt.Sprintf("%d min %02d s", sec/60, sec%60)
	case sec < 48*3600:
		return fmt.Sprintf("%d h %02d min", sec/3600, sec/60%60)
	}
	return fmt.Sprintf("%d d %d h", sec/86400, sec/3600%24)
}

// Quantity writes a value with its unit for a person: three significant
// figures, thousands with a comma, milliseconds as seconds from ten seconds on,
// KiB as MiB or GiB when large. NaN is a dash.
func Quantity(v float64, unit string) string {
	n, u := Figure(v, unit)
	if u == "" {
		return n
	}
	return n + " " + u
}

// Figure is Quantity with number and unit apart.
func Figure(v float64, unit string) (number, shownUnit string) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–", ""
	}
	v, unit = rescale(v, unit)
	return Number(v), unit
}

func rescale(v float64, unit string) (float64, string) {
	abs := math.Abs(v)
	switch {
	case unit == "ms" && abs >= 10_000:
		return v / 1000, "s"
	case unit == "KiB" && abs >= 1<<20:
		return v / (1 << 20), "GiB"
	case unit == "KiB" && abs >= 1024:
		return v / 1024, "MiB"
	case unit == "KiB/s" && abs >= 1024:
		return v / 1024, "MiB/s"
	}
	return v, unit
}

// Number writes three significant figures, whole numbers from 100 on, with a
// comma between thousands.
func Number(v float64) string {
	abs := math.Abs(v)
	if math.Round(abs*10) >= 1000 || v == math.Trunc(v) && abs < 1e15 {
		return commas(strconv.FormatFloat(math.Round(v), 'f', 0, 64))
	}
	decimals := 2
	if math.Round(abs*100) >= 1000 { // 9.996 is 10.0 and not 10.00
		decimals = 1
	}
	if abs > 0 && abs < 0.1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func commas(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
