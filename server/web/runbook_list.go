package web

import (
	"fmt"
	"net/http"
	"net/url"

	"stallbook/store"
	"stallbook/views"
)

var severitySays = map[store.Severity]string{
	store.Outage: "writes stopped", store.Stall: "requests wait", store.Degraded: "slower than usual", store.Risk: "could happen",
}

// runbookList is the library, the worst first, with where each matches now.
func (s *Server) runbookList(w http.ResponseWriter, r *http.Request) {
	books := bySeverity(s.d.Library())
	matches := s.matchesNow()
	p := views.RunbookList{
		Head: plural(len(books), "runbook", "runbooks") + ".",
		Sub:  "Each says when it is the right page, what to check, what to do and how to see that it worked.",
	}
	if len(books) == 0 {
		p.Empty = "The library is empty. `stallbook runbooks lint` says what is wrong with it."
	}
	for _, b := range books {
		n := len(p.Groups)
		if chip := severityChip(b.Severity); n == 0 || p.Groups[n-1].State != chip {
			p.Groups = append(p.Groups, views.RunbookGroup{State: chip, Says: severitySays[b.Severity]})
			n++
		}
		item := views.RunbookItem{Title: b.Title, Href: s.bookLink(b.Slug, store.Ref{}, "", ""), Aside: b.Slug}
		if len(b.Brief) > 0 {
			item.Says = b.Brief[0]
		}
		if !b.Builtin {
			item.Aside += ", your own"
		}
		for _, ref := range matches[b.Slug] {
			item.Matches = append(item.Matches, views.Crumb{Label: ref.String(), Href: s.bookLink(b.Slug, ref, "", "")})
		}
		p.Groups[n-1].Books = append(p.Groups[n-1].Books, item)
	}
	if hits := len(matches); hits > 0 {
		p.Head = fmt.Sprintf("%s, %d of them match right now.", plural(len(books), "runbook", "runbooks"), hits)
		if hits == 1 {
			p.Head = plural(len(books), "runbook", "runbooks") + ", one of them matches right now."
		}
	}
	s.show(w, r, http.StatusOK, s.frame(r, "Runbooks", "runbooks"), views.Runbooks(p))
}

// matchesNow is where each runbook matched in the latest tick.
func (s *Server) matchesNow() map[string][]store.Ref {
	out := map[string][]store.Ref{}
	for _, ref := range s.refs() {
		_, list := s.d.Matcher.Diagnoses(ref)
		for _, d := range list {
			if d.Verdict == store.Matched {
				out[d.Runbook] = append(out[d.Runbook], ref)
			}
		}
	}
	return out
}

func (s *Server) refs() (refs []store.Ref) {
	s.d.Window.Read(func(v store.View) { refs = v.Refs() })
	return refs
}

// shortLink is /r/{slug}: the runbook page with the same query.
func (s *Server) shortLink(w http.ResponseWriter, r *http.Request) {
	to := url.URL{Path: s.link("/runbooks/" + pathValue(r, "slug")), RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusFound)
}
