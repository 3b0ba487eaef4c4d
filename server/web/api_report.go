package web

import (
	"net/http"
	"slices"

	"stallbook/server/report"
	"stallbook/store"
)

// apiReport answers incidents/{id}.md: the report.
func (s *Server) apiReport(w http.ResponseWriter, r *http.Request) {
	in, err := s.incident(r)
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
	runs, err := s.d.History.Runs(r.Context(), in.ID, in.Ref(), 200)
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
		link = s.d.Site.PublicURL + "/incidents/" + pathEscape(in.ID)
	}
	events = slices.DeleteFunc(events, func(e store.Event) bool { return e.Kind == "incident" })
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="incident-`+in.ID+`.md"`)
	_, _ = w.Write([]byte(report.Markdown(report.Input{Incident: in, Title: title, Link: link, Runs: runs, Events: events, Now: now})))
}

// apiRecording answers incidents/{id}.jsonl: the recording of the time around it,
// which replay accepts.
func (s *Server) apiRecording(w http.ResponseWriter, r *http.Request) {
	in, err := s.incident(r)
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
	w.Header().Set("Content-Disposition", `attachment; filename="incident-`+in.ID+`.jsonl"`)
	_ = store.WriteRecording(w, batches) // the reader may have left
}
