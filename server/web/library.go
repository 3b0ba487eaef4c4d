package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"stallbook/runbooks"
	"stallbook/store"
)

// runbook looks one up; the error names the nearest.
func (s *Server) runbook(slug string) (*runbooks.Runbook, error) {
	lib := s.d.Library()
	if b, ok := lib.Get(slug); ok {
		return b, nil
	}
	var slugs []string
	for _, b := range lib.List() {
		slugs = append(slugs, b.Slug)
	}
	hint := ""
	if n := store.Nearest(slug, slugs); n != "" {
		hint = " Did you mean " + n + "?"
	}
	return nil, notFound(fmt.Sprintf("There is no runbook %q.%s", slug, hint))
}

// bookTitle is a runbook's title; one that is gone keeps its slug.
func (s *Server) bookTitle(slug string) string {
	if b, ok := s.d.Library().Get(slug); ok {
		return b.Title
	}
	return slug
}

// bookLink is the page of a runbook for an instance; at and incident may be "".
func (s *Server) bookLink(slug string, ref store.Ref, at, incident string) string {
	return s.link("/runbooks/"+url.PathEscape(slug)) + query(
		"cluster", ref.Cluster, "instance", ref.Instance, "at", at, "incident", incident)
}

// query encodes the pairs whose value is not empty, with its question mark.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

type runbooksBody struct {
	Runbooks []runbookBody `json:"runbooks"`
}

type runbookBody struct {
	Slug      string         `json:"slug"`
	Title     string         `json:"title"`
	Severity  store.Severity `json:"severity"`
	Builtin   bool           `json:"builtin"`
	Overrides bool           `json:"overrides,omitempty"`
	Tags      []string       `json:"tags"`
	Brief     []string       `json:"brief"`
	Reviewed  string         `json:"reviewed,omitempty"`
	Versions  string         `json:"versions,omitempty"`
	Hash      string         `json:"hash,omitempty"`
	Steps     []stepBody     `json:"steps"`
}

type stepBody struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	On    string `json:"on,omitempty"`
	Risk  string `json:"risk,omitempty"`
}

func (s *Server) apiRunbooks(w http.ResponseWriter, _ *http.Request) {
	body := runbooksBody{Runbooks: []runbookBody{}}
	for _, b := range s.d.Library().List() {
		body.Runbooks = append(body.Runbooks, runbookJSON(b))
	}
	writeJSON(w, http.StatusOK, body)
}

func (s *Server) apiRunbook(w http.ResponseWriter, r *http.Request) {
	b, err := s.runbook(pathValue(r, "slug"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, runbookJSON(b))
}

func runbookJSON(b *runbooks.Runbook) runbookBody {
	out := runbookBody{Slug: b.Slug, Title: b.Title, Severity: b.Severity, Builtin: b.Builtin, Overrides: b.Overrides,
		Tags: orEmpty(b.Tags), Brief: orEmpty(b.Brief), Reviewed: b.Reviewed, Versions: b.Versions, Hash: b.Hash, Steps: []stepBody{}}
	for _, st := range b.Steps {
		out.Steps = append(out.Steps, stepBody{st.ID, st.Kind, st.Title, st.On, st.Risk})
	}
	return out
}

// bySeverity is the library in the order of what users suffer.
func bySeverity(lib *runbooks.Library) []*runbooks.Runbook {
	list := lib.List()
	slices.SortStableFunc(list, func(a, b *runbooks.Runbook) int {
		return cmp.Compare(b.Severity.Rank(), a.Severity.Rank())
	})
	return list
}
