package web

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"stallbook/static"
	"stallbook/store"
	"stallbook/views"
)

// frame is what stands around a page: bar, notices, foot. What it can't read it
// leaves out: the frame must stand also when the history does not.
func (s *Server) frame(r *http.Request, title, nav string) views.Page {
	now := s.d.Now().UTC()
	p := views.Page{
		Title: title, Nav: nav, Base: s.d.Site.BasePath, Theme: theme(r),
		CSS:  s.linked("tokens.css", "base.css", "parts.css", "charts.css", "pages.css", "books.css"),
		JS:   s.linked("vendor/idiomorph.min.js", "app.js", "live.js"),
		Icon: static.URL(s.d.Site.BasePath, "icon.svg"), Clock: clock(now), NowMs: millis(now),
		Events: s.link("/events"), Version: s.d.Site.Version, Demo: s.demoBar(), Muted: s.mutedNow(now),
	}
	if open, err := s.openNow(r.Context()); err == nil && len(open) > 0 {
		p.Incidents = strconv.Itoa(len(open))
	}
	if h := s.d.History.Health(); !h.OK {
		p.History = &views.Notice{Says: h.Message}
		if !h.Since.IsZero() {
			p.History.Since = clock(h.Since)
		}
	}
	return p
}

// mutedNow says of which clusters incidents open silently, one sentence for each
// reason: who looks at green pages must know that nobody would be told.
func (s *Server) mutedNow(now time.Time) (says []string) {
	why := map[string][]string{}
	seen := map[string]bool{}
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			if reason, muted := s.muted(ref.Cluster, now); muted && !seen[ref.Cluster] {
				seen[ref.Cluster] = true
				why[reason] = append(why[reason], ref.Cluster)
			}
		}
	})
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		says = append(says, fmt.Sprintf("Incidents of %s open silently: %s.", strings.Join(why[reason], ", "), strings.TrimSuffix(reason, ".")))
	}
	return says
}

// theme is the reader's choice; without one the system decides.
func theme(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// show renders a page to memory first, so that a fault in it gives the error
// page and not half of the page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, p views.Page, body templ.Component) {
	var buf bytes.Buffer
	ctx := templ.WithChildren(r.Context(), body)
	if err := views.Layout(p).Render(ctx, &buf); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = buf.WriteTo(w) // the reader may have left
}
