package web

import (
	"net/http"
	"slices"
	"strings"

	"stallbook/server/report"
	"stallbook/store"
)

// apiIncidentFile answers incidents/{id}.md, the report, and incidents/{id}.jsonl,
// the recording of the time around the incident. Other names are incidents.
func (s *Server) apiIncidentFile(w http.ResponseWriter, r *http.Request) {
	id := pathValue(r, "id")
	switch {
	case strings.HasSuffix(id, ".md"):
		s.markdown(w, r, strings.TrimSuffix(id, ".md"))
	case strings.HasSuffix(id, ".jsonl"):
		s.recording(w, r, strings.TrimSuffix(id, ".jsonl"))
	default:
		s.apiIncident(w, r)
	}
}

func (s *Server) markdown(w http.ResponseWriter, r *http.Request, id string) {
	in, err := s.incidentByID(r, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	now := s.d.Now()
	from, to := report.Span(in, now)
	events, err := s.d.History.Events(r.Context(), in.Ref(), from, to)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	runs, err := s.d.History.Runs(r.Context(), id, in.Ref(), 200)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	slices.SortFunc(runs, func(a, b store.StepRun) int { return a.At.Compare(b.At) })
	title := in.Runbook
	if book, ok := s.d.Library().Get(in.Runbook); ok {
		title = book.Title
	}
	link := ""
	if s.d.Site.PublicURL != "" {
		link = s.d.Site.PublicURL + "/incidents/" + pathEscape(id)
	}
	events = slices.DeleteFunc(events, func(e store.Event) bool { return e.Kind == "incident" })
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="incident-`+id+`.md"`)
	_, _ = w.Write([]byte(report.Markdown(report.Input{Incident: in, Title: title, Link: link, Runs: runs, Events: events, Now: now})))
}

func (s *Server) recording(w http.ResponseWriter, r *http.Request, id string) {
	in, err := s.incidentByID(r, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	from, to := report.Span(in, s.d.Now())
	batches, err := s.d.History.Recent(r.Context(), from, to, in.Cluster)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="incident-`+id+`.jsonl"`)
	_ = store.WriteRecording(w, batches) // the reader may have left
}

func (s *Server) incidentByID(r *http.Request, id string) (store.Incident, error) {
	in, err := s.d.Incidents.Incident(r.Context(), id)
	if isNotFound(err) {
		err = notFound("There is no incident " + id + ".")
	}
	return in, err
}
