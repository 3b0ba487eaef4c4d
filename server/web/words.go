package web

import (
	"net/url"
	"regexp"
	"strconv"
	"time"
	"unicode"

	"stallbook/store"
)

// clock is a time of day for a page, UTC.
func clock(t time.Time) string { return t.UTC().Format("15:04:05") }

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// lasted words a duration as the pages do.
func lasted(d time.Duration) string { return store.Span(d) }

// lowerFirst makes a title part of a sentence, unless it starts with a name or
// an abbreviation (WAL, RDS).
func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) < 2 || !unicode.IsUpper(r[0]) || unicode.IsUpper(r[1]) {
		return s
	}
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// number before its unit, in a sentence made elsewhere.
var number = regexp.MustCompile(`(\d) (ms\b|s\b|min\b|h\b|d\b|%|/s\b|[KMG]iB\b)`)

// tied keeps a number and its unit on one line.
func tied(s string) string { return number.ReplaceAllString(s, "$1\u00a0$2") }

// pathEscape escapes one part of a path; a name may hold a slash or a dot.
func pathEscape(s string) string { return url.PathEscape(s) }

// stallLasted words how long an incident's effect was seen. A cause that is
// learnt late opens an incident whose stall is over by then.
func stallLasted(in store.Incident) string {
	if d := in.LastYes.Sub(in.OpenedAt); d >= time.Second {
		return lasted(d)
	}
	return "over when recognised"
}
