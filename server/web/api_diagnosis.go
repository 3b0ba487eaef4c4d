package web

import (
	"context"
	"net/http"
	"time"

	"stallbook/store"
)

type diagnosisBody struct {
	At         time.Time           `json:"at"`
	Signatures []diagnosisJSONBody `json:"signatures"`
}

// diagnosisJSONBody is a store.Diagnosis whose clauses carry their identifier as
// "id", as the contract has it.
type diagnosisJSONBody struct {
	store.Diagnosis
	Clauses []clauseBody `json:"clauses"`
}

type clauseBody struct {
	ID string `json:"id"`
	store.Evidence
}

func (s *Server) apiDiagnosis(w http.ResponseWriter, r *http.Request) {
	ref, err := s.known(pathRef(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	at, err := timeParam(r, "at")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	at, list, err := s.judged(r.Context(), ref, at)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body := diagnosisBody{At: at.UTC(), Signatures: make([]diagnosisJSONBody, len(list))}
	for i, d := range list {
		body.Signatures[i] = diagnosisJSONBody{Diagnosis: d, Clauses: clausesJSON(d.Clauses)}
	}
	writeJSON(w, http.StatusOK, body)
}

func clausesJSON(list []store.Evidence) []clauseBody {
	out := make([]clauseBody, len(list))
	for i, e := range list {
		out[i] = clauseBody{ID: e.Clause, Evidence: e}
	}
	return out
}

// judged is the judgement of the latest tick, or of a past second when at is
// given, nearest first.
func (s *Server) judged(ctx context.Context, ref store.Ref, at time.Time) (time.Time, []store.Diagnosis, error) {
	if at.IsZero() {
		at, list := s.d.Matcher.Diagnoses(ref)
		return at, list, nil
	}
	if at.After(s.d.Now()) {
		return at, nil, invalid("at: " + at.Format(time.RFC3339) + " has not come yet.")
	}
	list, err := s.d.Matcher.DiagnosesAt(ctx, ref, at)
	return at, list, err
}
