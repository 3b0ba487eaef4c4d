package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"stallbook/runbooks"
	"stallbook/store"
)

// bodyLimit is far above any request that people or programs send here.
const bodyLimit = 64 << 10

// runBody asks for one step on one instance.
type runBody struct {
	Runbook  string `json:"runbook"`
	Step     string `json:"step"`
	Cluster  string `json:"cluster"`
	Instance string `json:"instance"`
	Incident string `json:"incident"`
	At       string `json:"at"` // the page's second; the statement is filled in as of then
	Confirm  string `json:"confirm"`
}

func (s *Server) apiStartRun(w http.ResponseWriter, r *http.Request) {
	var b runBody
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	dec.DisallowUnknownFields()
	err := dec.Decode(&b)
	if err == nil && dec.Decode(&struct{}{}) != io.EOF {
		err = errors.New("more than one object")
	}
	if err != nil {
		s.fail(w, r, &store.Problem{Code: "invalid", Cause: err,
			Message: `The body must be one JSON object: {"runbook","step","cluster","instance","incident"}, incident being optional.`})
		return
	}
	run, err := s.run(r, b)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", s.link("/api/v1/runs/"+run.ID))
	writeJSON(w, http.StatusCreated, runJSON(run))
}

func (s *Server) apiRun(w http.ResponseWriter, r *http.Request) {
	id := pathValue(r, "id")
	run, err := s.d.History.Run(r.Context(), id)
	if isNotFound(err) {
		err = notFound("There is no run " + id + ".")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, runJSON(run))
}

// run executes a check for the API and for the button on a page. The runner's
// owner tells the open pages about it (Ran), whoever asked.
func (s *Server) run(r *http.Request, b runBody) (store.StepRun, error) {
	ref, err := s.known(store.Ref{Cluster: b.Cluster, Instance: b.Instance})
	if err != nil {
		return store.StepRun{}, err
	}
	book, err := s.runbook(b.Runbook)
	if err != nil {
		return store.StepRun{}, err
	}
	if err := runnable(book, b.Step); err != nil {
		return store.StepRun{}, err
	}
	at, err := parseTime("at", b.At)
	if err != nil {
		return store.StepRun{}, err
	}
	v := bookView{book: book, ref: ref, at: at, targets: s.targets(ref)}
	if b.Incident != "" {
		in, err := s.d.Incidents.Incident(r.Context(), b.Incident)
		if err != nil && !isNotFound(err) {
			return store.StepRun{}, err
		}
		if err == nil {
			v.incident = &in
		}
	}
	if err := s.judgement(r.Context(), &v); err != nil {
		return store.StepRun{}, err
	}
	target, ok := v.targets.of(onOf(book, b.Step))
	if !ok {
		return store.StepRun{}, &store.Problem{Code: "unavailable", Message: fmt.Sprintf(
			"Step %q runs on the %s of %s, and no instance there says that it is one.", b.Step, onOf(book, b.Step), ref.Cluster)}
	}
	return s.d.Runner.Run(r.Context(), RunRequest{
		Runbook: b.Runbook, Step: b.Step, Ref: ref, Target: target, Vars: s.vars(v), Incident: b.Incident, Who: who(r),
	})
}

// onOf is where a step runs, as the runbook says it.
func onOf(book *runbooks.Runbook, id string) string {
	for _, st := range book.Steps {
		if st.ID == id {
			return st.On
		}
	}
	return ""
}

// runnable is nil for a check. A fix changes a server: nobody may believe that
// it was done here.
func runnable(book *runbooks.Runbook, id string) error {
	var ids []string
	for _, st := range book.Steps {
		if st.ID == id && st.Kind == runbooks.Check {
			return nil
		}
		if st.ID == id {
			return &store.Problem{Code: "forbidden", Message: fmt.Sprintf(
				"Step %q of %s is a %s. This build shows %s steps filled in and does not run them: copy the statement and run it yourself.",
				id, book.Slug, st.Kind, st.Kind)}
		}
		ids = append(ids, st.ID)
	}
	hint := ""
	if n := store.Nearest(id, ids); n != "" {
		hint = fmt.Sprintf(" Did you mean %q?", n)
	}
	return notFound(fmt.Sprintf("%s has no step %q.%s", book.Slug, id, hint))
}

// who ran a step. Without sign-in there is one person on loopback.
func who(*http.Request) string { return "local user" }
