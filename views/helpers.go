package views

import (
	"fmt"
	"regexp"
	"strconv"
)

// since words the start of a notice.
func since(at string) string {
	if at == "" {
		return "."
	}
	return " since " + at + "."
}

// absence is what a screen reader says for a dash.
func absence(why string) string {
	if why == "" {
		return "no value"
	}
	return "no value: " + why
}

// stem is the line of a gauge from its threshold to the value.
func stem(pos float64) string { return fmt.Sprintf("M50 10H%.1f", pos) }

// tip is the end mark of that line.
func tip(pos float64) string { return fmt.Sprintf("M%.1f 5V15", min(max(pos, 1), 99)) }

// unitGap is the space between a number and its unit.
var unitGap = regexp.MustCompile(`(\d) (ms|s|min|h|d|%|/s|KiB|MiB|GiB)([ .,;:/)]|$)`)

// Glue keeps numbers and their units on one line.
func Glue(s string) string { return unitGap.ReplaceAllString(s, "$1\u00a0$2$3") }

func itoa(i int) string { return strconv.Itoa(i) }

// nudge keeps a label off the line it belongs to.
func nudge(flip bool) string {
	if flip {
		return "-5"
	}
	return "5"
}
