package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"stallbook/store"
)

// failure is an error as it leaves the program.
type failure struct {
	Status  int
	Code    string
	Message string
}

// statuses is the one map from a Problem's code to the status it travels with.
var statuses = map[string]int{
	"invalid":     http.StatusBadRequest,
	"not_found":   http.StatusNotFound,
	"forbidden":   http.StatusForbidden,
	"conflict":    http.StatusConflict,
	"method":      http.StatusMethodNotAllowed,
	"unavailable": http.StatusServiceUnavailable,
}

// describe says what a caller may know of err. What is not a Problem is ours to
// mend: it is logged, and neither SQL nor an address leaves the program.
func describe(err error) failure {
	var p *store.Problem
	switch {
	case errors.As(err, &p) && statuses[p.Code] != 0:
		return failure{statuses[p.Code], p.Code, p.Message}
	case errors.Is(err, store.ErrNotFound):
		return failure{http.StatusNotFound, "not_found", "There is nothing at this address."}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{http.StatusGatewayTimeout, "timeout", "The answer took longer than " + pageDeadline.String() + ". Try a shorter time range; if it goes on, look at the disk that holds the history."}
	case errors.Is(err, context.Canceled):
		return failure{499, "canceled", "The request was given up before it was answered."}
	}
	return failure{http.StatusInternalServerError, "internal", "stallbook could not answer this; the reason is in its log. Detection goes on."}
}

// fail answers with err: JSON for programs, a page for people.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := describe(err)
	if f.Status >= 500 {
		slog.Warn("a request failed", "method", r.Method, "path", r.URL.Path, "status", f.Status, "error", err)
	}
	if s.wantsJSON(r) {
		writeJSON(w, f.Status, errorBody{errorText{f.Code, f.Message}})
		return
	}
	s.failPage(w, r, f)
}

type errorBody struct {
	Error errorText `json:"error"`
}

type errorText struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// wantsJSON: the API always speaks JSON; elsewhere a caller that asks for JSON
// and not for HTML gets it.
func (s *Server) wantsJSON(r *http.Request) bool {
	if strings.HasPrefix(strings.TrimPrefix(r.URL.Path, s.d.Site.BasePath), "/api/") {
		return true
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

func methodError(method string) error {
	return &store.Problem{Code: "method", Message: "This address does not take " + method + " requests."}
}

func invalid(message string) error { return &store.Problem{Code: "invalid", Message: message} }

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

func notFound(message string) error { return &store.Problem{Code: "not_found", Message: message} }
