package web

import (
	"fmt"
	"net/http"
	"time"

	"stallbook/store"
)

const (
	// seriesSpan is what is shown when no range is asked for.
	seriesSpan = 10 * time.Minute
	// secondsLimit bounds an answer without a points parameter: beyond it the
	// answer is in buckets and its step says so.
	secondsLimit = 24 * time.Hour
	pointsLimit  = 20000
)

type seriesBody struct {
	Signal string  `json:"signal"`
	Label  string  `json:"label,omitempty"`
	Unit   string  `json:"unit"`
	StepS  float64 `json:"step_s"`
	Points []point `json:"points"`
}

// point is Unix milliseconds, minimum and maximum; the last two are null in a gap.
type point [3]*float64

func (s *Server) apiSeries(w http.ResponseWriter, r *http.Request) {
	q, err := s.seriesQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	step, buckets, err := s.d.History.Range(r.Context(), q.ref, q.signal.Name, q.label, q.from, q.to, q.points)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body := seriesBody{Signal: q.signal.Name, Label: q.label, Unit: q.signal.Unit, StepS: step.Seconds(), Points: make([]point, len(buckets))}
	for i, b := range buckets {
		at := float64(b.AtMs)
		body.Points[i][0] = &at
		if !b.Gap {
			body.Points[i][1], body.Points[i][2] = &buckets[i].Min, &buckets[i].Max
		}
	}
	writeJSON(w, http.StatusOK, body)
}

type seriesQuery struct {
	ref      store.Ref
	signal   *store.Signal
	label    string
	from, to time.Time
	points   int
}

func (s *Server) seriesQuery(r *http.Request) (q seriesQuery, err error) {
	if q.ref, err = s.known(pathRef(r)); err != nil {
		return q, err
	}
	name := r.URL.Query().Get("signal")
	id, ok := store.Lookup(name)
	if !ok {
		return q, invalid(fmt.Sprintf("signal: there is no signal %q. The nearest is %q.", name, store.NearestSignal(name)))
	}
	q.signal, q.label = id.Info(), r.URL.Query().Get("label")
	if q.from, err = timeParam(r, "from"); err != nil {
		return q, err
	}
	if q.to, err = timeParam(r, "to"); err != nil {
		return q, err
	}
	if q.points, err = intParam(r, "points", 0, 0, pointsLimit); err != nil {
		return q, err
	}
	if q.to.IsZero() {
		q.to = s.d.Now().UTC()
	}
	if q.from.IsZero() {
		q.from = q.to.Add(-seriesSpan)
	}
	if !q.from.Before(q.to) {
		return q, invalid("from must be earlier than to.")
	}
	if q.points == 0 && q.to.Sub(q.from) > secondsLimit {
		q.points = pointsLimit / 10
	}
	return q, nil
}
