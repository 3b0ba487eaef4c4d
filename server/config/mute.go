package config

import (
	"fmt"
	"strconv"
	"time"
)

func (r *reader) mutes(raw []mute, path string) []Mute {
	out := make([]Mute, 0, len(raw))
	for i, m := range raw {
		p := fmt.Sprintf("%s[%d]", path, i)
		from, okFrom := r.moment(m.From, p, "from")
		to, okTo := r.moment(m.To, p, "to")
		if okFrom && okTo && !to.After(from) {
			r.add(p+".to", "%s.to is not after from: the window would be empty", p)
		}
		why := r.expand(m.Why, p+".why")
		if why == "" {
			r.missing(p, "why", "the page shows the reason while incidents are muted")
		}
		out = append(out, Mute{from, to, why})
	}
	return out
}

func (r *reader) moment(text, parent, key string) (time.Time, bool) {
	path := parent + "." + key
	if text = r.expand(text, path); text == "" {
		r.missing(parent, key, "a mute window needs from and to")
		return time.Time{}, false
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms).UTC(), true
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		r.add(path, "%s: %q is no moment; write it as 2026-12-01T02:00:00Z or in Unix milliseconds", path, text)
	}
	return t.UTC(), err == nil
}
