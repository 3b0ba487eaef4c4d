package web

import (
	"math"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// qty is a number for a page. Seconds from two minutes on read as a duration.
func qty(v float64, unit string) views.Qty {
	if unit == "s" && v >= 120 {
		return views.Qty{Num: lasted(time.Duration(v * float64(time.Second)))}
	}
	n, u := store.Figure(v, unit)
	return views.Qty{Num: n, Unit: u}
}

// absent is a dash with its reason.
func absent(why string) views.Qty { return views.Qty{Why: why} }

// ageOf is how long ago at was; bare leaves out the "ago". A zero time is the
// words of never.
func ageOf(at, now time.Time, bare bool, never string) views.Age {
	if at.IsZero() {
		return views.Age{Text: never}
	}
	a := views.Age{Text: coarse(now.Sub(at)), Ms: millis(at), Bare: bare}
	if !bare {
		a.Text += " ago"
	}
	return a
}

// coarse words an age as the browser goes on counting it: whole seconds up to
// two minutes, then minutes, hours and days.
func coarse(d time.Duration) string {
	sec := int(max(0, d) / time.Second)
	switch {
	case sec < 120:
		return store.Number(float64(sec)) + " s"
	case sec < 7200:
		return store.Number(float64(sec/60)) + " min"
	case sec < 172800:
		return store.Number(float64(sec/3600)) + " h"
	}
	return store.Number(float64(sec/86400)) + " d"
}

// plural is "1 instance", "3 instances".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return store.Number(float64(n)) + " " + many
}

// counted writes small numbers as words, for a sentence that starts with one.
func counted(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n >= 0 && n < len(words) {
		return words[n]
	}
	return store.Number(float64(n))
}

// countedOf is "one instance", "two instances".
func countedOf(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return counted(n) + " " + many
}

// sentence ends a text that may end already.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") {
		return s
	}
	return s + "."
}

// times is "once", "twice", "three times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return counted(n) + " times"
}

// shareOf says how much of a limit is used, never rounding the last percent
// away: 99.96 % of a limit is not at it.
func shareOf(v, limit float64) string {
	if limit <= 0 {
		return ""
	}
	pct := 100 * v / limit
	if pct < 100 && pct > 99 {
		pct = math.Floor(pct)
	}
	return store.Number(math.Round(pct)) + " % of limit"
}
