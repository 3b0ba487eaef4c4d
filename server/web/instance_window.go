package web

import (
	"net/http"
	"time"

	"stallbook/views"
)

// timeWindow is the stretch of time a page shows.
type timeWindow struct {
	key      string // "5m"
	label    string // "5 min"
	words    string // "5 minutes"
	span     time.Duration
	from, to time.Time
	live     bool // it ends now and moves on
	tick     time.Duration
	layout   string // of the ticks' labels
}

// ranges are the stretches one can choose from.
var ranges = []timeWindow{
	{key: "5m", label: "5 min", words: "5 minutes", span: 5 * time.Minute, tick: time.Minute, layout: "15:04"},
	{key: "1h", label: "1 h", words: "hour", span: time.Hour, tick: 10 * time.Minute, layout: "15:04"},
	{key: "6h", label: "6 h", words: "6 hours", span: 6 * time.Hour, tick: time.Hour, layout: "15:04"},
	{key: "24h", label: "24 h", words: "24 hours", span: 24 * time.Hour, tick: 4 * time.Hour, layout: "15:04"},
	{key: "14d", label: "14 d", words: "14 days", span: 14 * 24 * time.Hour, tick: 2 * 24 * time.Hour, layout: "2 Jan"},
}

// windowOf reads range= (default 5m) and to= (default: now) from the query. With
// at= the window is laid so that this second stands at two thirds of it.
func windowOf(r *http.Request, now time.Time) (timeWindow, error) {
	key := r.URL.Query().Get("range")
	if key == "" {
		key = ranges[0].key
	}
	w := timeWindow{}
	for _, c := range ranges {
		if c.key == key {
			w = c
		}
	}
	if w.key == "" {
		return w, invalid("range: " + quoted(key) + " is none of 5m, 1h, 6h, 24h, 14d.")
	}
	to, err := timeParam(r, "to")
	if err != nil {
		return w, err
	}
	at, err := timeParam(r, "at")
	if err != nil {
		return w, err
	}
	if to.IsZero() && !at.IsZero() {
		to = at.Add(w.span / 3)
	}
	now = now.Truncate(time.Second)
	if to.IsZero() || !to.Before(now) {
		to, w.live = now, true
	}
	w.to = to.Truncate(time.Second)
	w.from = w.to.Add(-w.span)
	return w, nil
}

// links are the addresses of the other ranges and of the neighbouring windows.
func (w timeWindow) links(v *views.Instance, path string, now time.Time) {
	to := ""
	if !w.live {
		to = millis(w.to)
		v.Back = path + query("range", w.key)
		v.Later = v.Back
		if later := w.to.Add(w.span / 2); later.Before(now) {
			v.Later = path + query("range", w.key, "to", millis(later))
		}
	}
	for _, c := range ranges {
		v.Ranges = append(v.Ranges, views.Range{Label: c.label, Current: c.key == w.key, Href: path + query("range", c.key, "to", to)})
	}
	v.Earlier = path + query("range", w.key, "to", millis(w.to.Add(-w.span/2)))
}

// ticks are the round times within the window.
func (w timeWindow) ticks() []views.Tick {
	var out []views.Tick
	for t := w.from.Truncate(w.tick).Add(w.tick); t.Before(w.to); t = t.Add(w.tick) {
		if x := w.share(t); x > 0.03 && x < 0.97 { // a label at the rim would be cut
			out = append(out, views.Tick{At: percent(x), Label: t.Format(w.layout)})
		}
	}
	return out
}

// share is where in the window t lies, 0 to 1.
func (w timeWindow) share(t time.Time) float64 {
	return float64(t.Sub(w.from)) / float64(w.to.Sub(w.from))
}

// says names the window in a sentence.
func (w timeWindow) says() string {
	if w.live {
		return "the last " + w.words
	}
	return "the " + w.words + " to " + w.to.Format("2 Jan 15:04:05")
}
