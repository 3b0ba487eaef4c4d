package web

import (
	"net/http"

	"stallbook/store"
)

type incidentsBody struct {
	Incidents []store.Incident `json:"incidents"`
}

func (s *Server) apiIncidents(w http.ResponseWriter, r *http.Request) {
	f, err := s.incidentFilter(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	list, err := s.d.Incidents.Incidents(r.Context(), f)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body := incidentsBody{Incidents: make([]store.Incident, len(list))}
	for i := range list {
		body.Incidents[i] = forJSON(list[i])
	}
	writeJSON(w, http.StatusOK, body)
}

func (s *Server) apiIncident(w http.ResponseWriter, r *http.Request) {
	in, err := s.incident(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, forJSON(in))
}

// incident is the one the path names.
func (s *Server) incident(r *http.Request) (store.Incident, error) {
	id := pathValue(r, "id")
	in, err := s.d.Incidents.Incident(r.Context(), id)
	if isNotFound(err) {
		return in, notFound("There is no incident " + id + ". It may be older than the history is kept.")
	}
	return in, err
}

// incidentFilter reads the filter of the list, for the API and the page alike.
func (s *Server) incidentFilter(r *http.Request) (store.IncidentFilter, error) {
	q := r.URL.Query()
	f := store.IncidentFilter{
		State: store.State(q.Get("state")), Cluster: q.Get("cluster"),
		Instance: q.Get("instance"), Runbook: q.Get("runbook"),
	}
	if f.State != "" && f.State != store.StateOpen && f.State != store.StateClosed {
		return f, invalid("state: it is open or closed, and all of them without it.")
	}
	var err error
	if f.From, err = timeParam(r, "from"); err != nil {
		return f, err
	}
	if f.To, err = timeParam(r, "to"); err != nil {
		return f, err
	}
	f.Limit, err = intParam(r, "limit", 0, 1, 10000)
	return f, err
}

// forJSON gives lists that are empty rather than null and times in UTC.
func forJSON(in store.Incident) store.Incident {
	in.OpenedAt, in.LearntAt = in.OpenedAt.UTC(), in.LearntAt.UTC()
	in.WorstAt, in.LastYes = in.WorstAt.UTC(), in.LastYes.UTC()
	if in.ClosedAt != nil {
		at := in.ClosedAt.UTC()
		in.ClosedAt = &at
	}
	in.Evidence = orEmpty(in.Evidence)
	in.Opening = orEmpty(in.Opening)
	in.Runners = orEmpty(in.Runners)
	in.Timeline = orEmpty(in.Timeline)
	return in
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// runJSON is a run with lists that are empty rather than null.
func runJSON(run store.StepRun) store.StepRun {
	run.At = run.At.UTC()
	run.Columns, run.Rows = orEmpty(run.Columns), orEmpty(run.Rows)
	return run
}
