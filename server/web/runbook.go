package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
	"stallbook/views"
)

// bookView is a runbook as it is asked for: for which instance, when, from
// which incident. It is gathered once and then only put into words.
type bookView struct {
	book     *runbooks.Runbook
	ref      store.Ref // zero: for nobody in particular
	at       time.Time // zero: now
	incident *store.Incident
	judged   time.Time
	all      []store.Diagnosis // of ref at that time
	own      *store.Diagnosis  // this runbook's; nil when it was not judged
	frozen   bool              // the clauses are those kept with a closed incident
	runs     map[string]store.StepRun
	targets  targets
}

// runbookPage shows one runbook. With part=1 it is only what changes with a tick.
func (s *Server) runbookPage(w http.ResponseWriter, r *http.Request) {
	v, err := s.bookView(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page := s.runbookModel(r, v)
	if in := v.incident; in != nil && v.own != nil && r.URL.Query().Get("part") == "" {
		if page.Charts, err = s.incidentCharts(r.Context(), *in); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	frame := s.frame(r, v.book.Title, "runbooks")
	frame.Foot = page.Foot
	if r.URL.Query().Get("part") != "" && v.ref != (store.Ref{}) {
		s.part(w, r, views.RunbookLive(page))
		return
	}
	s.show(w, r, http.StatusOK, frame, views.Runbook(page))
}

func (s *Server) bookView(r *http.Request) (v bookView, err error) {
	q := r.URL.Query()
	if v.book, err = s.runbook(pathValue(r, "slug")); err != nil {
		return v, err
	}
	if v.at, err = timeParam(r, "at"); err != nil {
		return v, err
	}
	if id := q.Get("incident"); id != "" {
		in, err := s.d.Incidents.Incident(r.Context(), id)
		if err != nil && !isNotFound(err) {
			return v, err
		}
		if err == nil {
			v.incident = &in
			v.ref = in.Ref()
		}
	}
	if q.Get("cluster") != "" || q.Get("instance") != "" {
		v.ref = store.Ref{Cluster: q.Get("cluster"), Instance: q.Get("instance")}
	}
	if v.ref == (store.Ref{}) {
		return v, nil
	}
	if v.ref, err = s.known(v.ref); err != nil {
		return v, err
	}
	if err = s.ongoing(r.Context(), &v); err != nil {
		return v, err
	}
	if err = s.judgement(r.Context(), &v); err != nil {
		return v, err
	}
	v.targets = s.targets(v.ref)
	v.runs, err = s.latestRuns(r.Context(), v)
	return v, err
}

// ongoing finds the open incident that a page opened without one is about.
func (s *Server) ongoing(ctx context.Context, v *bookView) error {
	if v.incident != nil || !v.at.IsZero() {
		return nil
	}
	list, err := s.openNow(ctx)
	for i := range list {
		if list[i].Runbook == v.book.Slug && list[i].Ref() == v.ref {
			v.incident = &list[i]
		}
	}
	return err
}

// judgement fills in how the runbook's signature stands: for an incident that is
// over, the evidence kept with it; else the latest tick or the second asked for.
func (s *Server) judgement(ctx context.Context, v *bookView) (err error) {
	if v.judged, v.all, err = s.judged(ctx, v.ref, v.at); err != nil {
		return err
	}
	for i := range v.all {
		if v.all[i].Runbook == v.book.Slug {
			v.own = &v.all[i]
		}
	}
	in := v.incident
	if in == nil || in.Ongoing() || !v.at.IsZero() || in.Runbook != v.book.Slug || in.Ref() != v.ref {
		return nil
	}
	d := store.Diagnosis{Runbook: in.Runbook, Verdict: store.Matched, Severity: in.Severity, Form: in.Form, Summary: in.Summary, Clauses: in.Evidence}
	d.Hold, d.Needed = holds(in.Evidence, in.Form)
	v.own, v.judged, v.frozen = &d, in.WorstAt, true
	return nil
}

// latestRuns is the newest run of each of the book's steps; a run is kept under
// the instance whose page it was started from, wherever its statement ran.
func (s *Server) latestRuns(ctx context.Context, v bookView) (map[string]store.StepRun, error) {
	out := map[string]store.StepRun{}
	list, err := s.d.History.Runs(ctx, "", v.ref, 200)
	if err != nil {
		return nil, fmt.Errorf("runs of %s: %w", v.ref, err)
	}
	for _, run := range list {
		if run.Runbook == v.book.Slug && run.At.After(out[run.Step].At) {
			out[run.Step] = run
		}
	}
	return out, nil
}

// runStep is the button of a check, for a browser with or without scripts.
func (s *Server) runStep(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, &store.Problem{Code: "invalid", Message: "The form could not be read.", Cause: err})
		return
	}
	b := runBody{
		Runbook: pathValue(r, "slug"), Step: pathValue(r, "step"), Cluster: r.PostForm.Get("cluster"),
		Instance: r.PostForm.Get("instance"), Incident: r.PostForm.Get("incident"), At: r.PostForm.Get("at"),
	}
	if _, err := s.run(r, b); err != nil {
		s.fail(w, r, err)
		return
	}
	back := s.bookLink(b.Runbook, store.Ref{Cluster: b.Cluster, Instance: b.Instance}, r.PostForm.Get("at"), b.Incident)
	if r.PostForm.Get("from") == "incident" {
		back = s.link("/incidents/" + pathEscape(b.Incident))
	}
	http.Redirect(w, r, back+"#step-"+b.Step, http.StatusSeeOther)
}
