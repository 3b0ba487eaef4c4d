package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
	"stallbook/views"
)

// incidentPage shows one incident. With part=1 it is only what changes.
func (s *Server) incidentPage(w http.ResponseWriter, r *http.Request) {
	in, err := s.incident(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.incidentModel(in)
	if p.Timeline, err = s.timeline(r.Context(), in); err != nil {
		s.fail(w, r, err)
		return
	}
	if r.URL.Query().Get("part") != "" {
		s.part(w, r, views.IncidentLive(p))
		return
	}
	if err := s.nextStep(r, &p, in); err != nil {
		s.fail(w, r, err)
		return
	}
	if p.Charts, err = s.incidentCharts(r.Context(), in); err != nil {
		s.fail(w, r, err)
		return
	}
	frame := s.frame(r, in.Summary, "incidents")
	frame.Foot = p.Foot
	s.show(w, r, http.StatusOK, frame, views.IncidentView(p))
}

func (s *Server) incidentModel(in store.Incident) views.IncidentPage {
	now := s.d.Now()
	hold, needed := holds(in.Evidence, in.Form)
	p := views.IncidentPage{
		Crumbs: []views.Crumb{{Label: "Incidents", Href: s.link("/incidents")}, {Label: in.Cluster, Href: s.clusterLink(in.Cluster)},
			{Label: in.Instance, Href: s.instanceLink(in.Ref())}, {Label: in.ID}},
		State: severityChip(in.Severity), Opened: "opened " + when(in.OpenedAt, now), Head: tied(in.Summary), Muted: in.Muted,
		Book:    views.Crumb{Label: s.bookTitle(in.Runbook), Href: s.bookLink(in.Runbook, in.Ref(), "", in.ID)},
		Matches: fmt.Sprintf("in %d of %d clauses.", hold, needed), Runner: s.runnerSays(in), Impact: s.impact(in, now),
		All:    views.Crumb{Label: "All signatures", Href: s.diagnosisLink(in.Ref(), time.Time{})},
		Report: s.downloads(in.ID), Runners: s.runners(in),
		Foot: "Incident " + in.ID + ", learnt at " + in.LearntAt.UTC().Format("2006-01-02 15:04:05") + ".",
	}
	if in.Ongoing() {
		age := ageOf(in.OpenedAt, now, true, "")
		p.Age, p.Phase = &age, "open"
		p.Live = s.incidentLink(in.ID) + "?part=1"
		if in.State == store.StateClearing {
			p.Phase = "clearing, open"
		}
	} else {
		if p.Lasted = stallLasted(in); in.LastYes.After(in.OpenedAt) {
			p.Lasted = "lasted " + p.Lasted
		}
		p.Phase = "closed"
		if in.ClosedAt != nil {
			p.Phase += " " + when(*in.ClosedAt, now)
		}
		p.All.Href = s.diagnosisLink(in.Ref(), in.WorstAt)
	}
	p.Evidence = s.incidentEvidence(in)
	p.NextLink = views.Crumb{Label: "Open the runbook", Href: p.Book.Href}
	return p
}

// downloads are what is kept of an incident afterwards.
func (s *Server) downloads(id string) []views.Crumb {
	file := s.link("/api/v1/incidents/" + pathEscape(id))
	return []views.Crumb{{Label: "Report", Href: file + ".md"}, {Label: "Recording", Href: file + ".jsonl"}}
}

// incidentEvidence is the clauses at the worst moment, with what they were when
// it opened.
func (s *Server) incidentEvidence(in store.Incident) views.ClausePanel {
	p := views.ClausePanel{Title: "Evidence", End: clock(in.WorstAt), Groups: s.clauseGroups(in.Evidence, clauseContext{in.Ref(), in.WorstAt, in.Form, ""})}
	var n [3]int
	for _, e := range in.Evidence {
		n[e.Verdict+1]++
	}
	p.Scope = fmt.Sprintf("%d yes, %d no, %d unknown, at the worst moment", n[store.Yes+1], n[store.No+1], n[store.Unknown+1])
	if len(in.Evidence) == 0 {
		p.Empty = "This incident was kept without its evidence."
	}
	opening := map[string]store.Evidence{}
	for _, e := range in.Opening {
		opening[e.Clause] = e
	}
	for _, g := range p.Groups {
		for i, c := range g.Clauses {
			if o, ok := opening[c.ID]; ok && !in.WorstAt.Equal(in.OpenedAt) {
				g.Clauses[i].Detail += ", at opening " + observedText(o)
			}
		}
	}
	return p
}

func observedText(e store.Evidence) string {
	q := observed(e)
	if q.Num == "" {
		return "unknown"
	}
	return strings.TrimSpace(q.Num + " " + q.Unit)
}

// holds counts the clauses that hold among those that must, of one form.
func holds(list []store.Evidence, form string) (hold, needed int) {
	for _, e := range list {
		if e.Group == store.GroupAll || e.Group == store.GroupForm && e.Form == form {
			needed++
			if e.Verdict == store.Yes {
				hold++
			}
		}
	}
	return hold, needed
}

func (s *Server) runnerSays(in store.Incident) string {
	if len(in.Runners) == 0 {
		return ""
	}
	r := in.Runners[0]
	return fmt.Sprintf("Runner-up: %s on %s.", lowerFirst(s.bookTitle(r.Runbook)), r.Instance)
}

func (s *Server) runners(in store.Incident) []views.LookAlike {
	var out []views.LookAlike
	for _, r := range in.Runners {
		ref := store.Ref{Cluster: in.Cluster, Instance: r.Instance}
		says := []string{"On " + r.Instance + " since " + clock(r.Since) + "."}
		for _, e := range r.Clauses {
			if e.Verdict == store.Yes && e.Group != store.GroupNone && len(says) < 4 {
				says = append(says, e.Says+": "+observedText(e)+".")
			}
		}
		out = append(out, views.LookAlike{Title: s.bookTitle(r.Runbook), Href: s.bookLink(r.Runbook, ref, "", in.ID), Kind: "yes", Word: "Matched", Says: strings.Join(says, " ")})
	}
	return out
}

// nextStep is the first check of the runbook with its button.
func (s *Server) nextStep(r *http.Request, p *views.IncidentPage, in store.Incident) error {
	p.NextHead = views.PanelHead{Title: "Next step", Class: "panel-act", ID: "next"}
	if !in.Ongoing() {
		p.NextHead.Title, p.NextHead.Class = "What to look at", ""
	}
	book, ok := s.d.Library().Get(in.Runbook)
	if !ok {
		p.NextSays = "The runbook " + in.Runbook + " is no longer in the library."
		p.NextLink.Href = s.link("/runbooks")
		return nil
	}
	v := bookView{book: book, ref: in.Ref(), incident: &in}
	if _, err := s.known(v.ref); err != nil {
		p.NextSays = in.Ref().String() + " is no longer watched; the runbook can still be read."
		return nil
	}
	if err := s.judgement(r.Context(), &v); err != nil {
		return err
	}
	v.own = &store.Diagnosis{Runbook: in.Runbook, Clauses: in.Evidence} // the table that the incident is about
	v.targets = s.targets(v.ref)
	var err error
	if v.runs, err = s.latestRuns(r.Context(), v); err != nil {
		return err
	}
	vars := s.vars(v)
	for i, st := range book.Steps {
		if st.Kind != runbooks.Check {
			continue
		}
		step := s.step(v, st, vars, fmt.Sprint(i+1))
		if step.SQL != "" {
			step.Fold = "Statement" // the question and its button come first here
		}
		if step.Run != nil {
			step.Run.Fields = append(step.Run.Fields, views.Field{Name: "from", Value: "incident"})
		}
		p.Next = append(p.Next, step)
		p.NextHead.End = fmt.Sprintf("%d of %d, check", i+1, len(book.Steps))
		break
	}
	return nil
}
