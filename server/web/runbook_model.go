package web

import (
	"fmt"
	"net/http"
	"strings"

	"stallbook/runbooks"
	"stallbook/store"
	"stallbook/views"
)

func (s *Server) runbookModel(r *http.Request, v bookView) views.RunbookPage {
	b := v.book
	p := views.RunbookPage{
		Crumbs: []views.Crumb{{Label: "Runbooks", Href: s.link("/runbooks")}, {Label: b.Slug}},
		State:  severityChip(b.Severity), Head: b.Title, Brief: b.Brief, Foot: bookFoot(b),
		Like: s.lookAlikes(v), Notes: bookNotes(b, v),
	}
	place(&p, b.Sections)
	if v.ref == (store.Ref{}) {
		at := r.URL.Query().Get("at")
		c := s.chooser(r, func(ref store.Ref) string { return s.bookLink(b.Slug, ref, at, "") }, "", "")
		p.Chooser, p.Kicker = &c, severitySays[b.Severity]
	} else {
		s.forInstance(&p, v)
	}
	p.Checks, p.Fixes, p.Verifies = s.steps(v)
	p.Flow = flow(p, v)
	return p
}

// place puts the prose where its steps are: what one sees beside the clauses,
// what to do beside the fixes, the background in a column of its own.
func place(p *views.RunbookPage, sections []runbooks.Section) {
	for _, sec := range sections {
		part := views.PageSection{ID: "about-" + sec.ID, Title: sec.Title, HTML: sec.HTML}
		switch sec.ID {
		case "is-it-this":
			part.Title = "How to tell" // its heading is the panel of clauses already
			p.Signs = append(p.Signs, part)
		case "symptom":
			p.Signs = append(p.Signs, part)
		case "stop":
			p.Stop = append(p.Stop, part)
		case "fix":
			p.FixProse = part.HTML
		case "verify":
			p.VerifyProse = part.HTML
		case "undo":
			p.Undo = append(p.Undo, part)
		default:
			p.Sections = append(p.Sections, part)
		}
	}
}

// forInstance is what the page says about the instance it is opened for.
func (s *Server) forInstance(p *views.RunbookPage, v bookView) {
	p.Crumbs = append(p.Crumbs, views.Crumb{Label: "for " + v.ref.String(), Href: s.instanceLink(v.ref)})
	p.Instance = v.ref.String()
	p.Change = s.bookLink(v.book.Slug, store.Ref{}, atParam(v.at), "")
	p.Diagnose = s.diagnosisLink(v.ref, v.at)
	incident := ""
	if v.incident != nil {
		incident = v.incident.ID
		p.Incident = &views.Crumb{Label: "Incident " + incident, Href: s.link("/incidents/" + pathEscape(incident))}
	}
	if v.at.IsZero() && !v.frozen {
		p.Live = s.link("/runbooks/"+pathEscape(v.book.Slug)) + query("cluster", v.ref.Cluster, "instance", v.ref.Instance, "incident", incident, "part", "1")
	}
	p.Is = views.ClausePanel{Title: "Is it this?", End: v.ref.Instance + ", " + clock(v.judged)}
	if v.own == nil {
		p.Kicker, p.Is.End = "not judged on "+v.ref.Instance, ""
		p.Is.Empty = "This page has no judgement on " + v.ref.Instance + " yet; it comes with the next reading."
		return
	}
	d := v.own
	p.Is.Groups = s.clauseGroups(d.Clauses, clauseContext{v.ref, v.judged, d.Form, atParam(v.at)})
	p.Is.Scope = fmt.Sprintf("%d of %d hold", d.Hold, d.Needed)
	p.Head, p.Sub, p.Kicker = s.bookSays(v)
	if d.Verdict == store.Matched {
		p.State, p.Now = severityChip(store.Worse(d.Severity, store.Risk)), true
	} else {
		kind, word := matchWord(d.Verdict)
		p.Verdict = &views.Pip{Verdict: kind, Says: word}
	}
	if when := v.at; !when.IsZero() || v.frozen {
		p.Is.End = v.ref.Instance + ", " + v.judged.UTC().Format("2006-01-02 15:04:05")
	}
}

// bookSays is the verdict of the page on its instance in words.
func (s *Server) bookSays(v bookView) (head, sub, kicker string) {
	d, when := v.own, "now"
	switch {
	case v.frozen:
		when = "at its worst, " + v.judged.UTC().Format("2006-01-02 15:04:05")
	case !v.at.IsZero():
		when = "at " + v.at.UTC().Format("2006-01-02 15:04:05")
	}
	count := fmt.Sprintf("%d of %d hold", d.Hold, d.Needed)
	switch d.Verdict {
	case store.Matched:
		return tied(d.Summary), v.book.Title, "matches " + when + ", " + count
	case store.Possible:
		return v.book.Title + ": possible on " + v.ref.Instance + ".", "Nothing speaks against it, but not all of it is measured. " + missingWords(*d), when + ", " + count
	}
	return v.book.Title + ": not on " + v.ref.Instance + " " + when + ".", missingWords(*d), when + ", " + count
}

func (s *Server) lookAlikes(v bookView) []views.LookAlike {
	var out []views.LookAlike
	for _, l := range v.book.LookAlike {
		a := views.LookAlike{Title: s.bookTitle(l.Slug), Href: s.bookLink(l.Slug, v.ref, atParam(v.at), ""), Says: l.Says}
		for _, d := range v.all {
			if d.Runbook == l.Slug {
				a.Kind, a.Word = "no", "not here"
				if d.Verdict != store.NoMatch {
					a.Kind, a.Word = matchWord(d.Verdict)
				}
			}
		}
		out = append(out, a)
	}
	return out
}

func bookNotes(b *runbooks.Runbook, v bookView) []string {
	var out []string
	if b.Overrides {
		out = append(out, "This page comes from your own folder and replaces the built-in one.")
	}
	if v.own != nil {
		for _, e := range v.own.Clauses {
			if e.Default != nil {
				out = append(out, "This cluster sets thresholds of its own; the library's stand beside them.")
				break
			}
		}
	}
	return out
}

func bookFoot(b *runbooks.Runbook) string {
	from := "built in"
	if !b.Builtin {
		from = "from your own folder"
	}
	parts := []string{b.Slug + ", " + from}
	if b.Hash != "" {
		parts = append(parts, "page version "+b.Hash[:min(8, len(b.Hash))])
	}
	if b.Reviewed != "" {
		parts = append(parts, "reviewed "+b.Reviewed)
	}
	if b.Versions != "" {
		parts = append(parts, "PostgreSQL "+b.Versions)
	}
	return strings.Join(parts, ", ") + "."
}

// flow is the line of parts: each with where it stands.
func flow(p views.RunbookPage, v bookView) []views.FlowPart {
	is := views.FlowPart{Href: "#is", Title: "Is it this?", Says: "choose an instance"}
	if v.own != nil {
		is.Kind, _ = matchWord(v.own.Verdict)
		is.Says = p.Is.Scope
	}
	check := views.FlowPart{Href: "#check", Title: "Check", Says: fmt.Sprintf("%d to run", len(p.Checks))}
	if done := countResults(p.Checks); done > 0 {
		check.Says = fmt.Sprintf("%d of %d run", done, len(p.Checks))
	}
	out := []views.FlowPart{is, check, {Href: "#fix", Title: "Fix", Says: plural(len(p.Fixes), "way", "ways")}}
	if len(p.Verifies) > 0 {
		out = append(out, views.FlowPart{Href: "#verify", Title: "Verify", Says: "after the fix"})
	}
	for _, sec := range p.Sections {
		if sec.ID == "about-escalate" {
			out = append(out, views.FlowPart{Href: "#about-escalate", Title: "Escalate", Says: "when and to whom"})
		}
	}
	return out
}

func countResults(steps []views.Step) (n int) {
	for _, st := range steps {
		if st.Result != nil {
			n++
		}
	}
	return n
}
