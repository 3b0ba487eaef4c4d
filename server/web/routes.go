package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/klauspost/compress/gzhttp"
)

// routes is every address of contract.md that this build serves.
func (s *Server) routes() (http.Handler, error) {
	compress, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false))
	if err != nil {
		return nil, fmt.Errorf("web: compression: %w", err)
	}
	r := chi.NewRouter()
	r.Use(middleware.GetHead)
	r.NotFound(s.nothingHere)
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, methodError(r.Method))
	})
	r.Group(func(r chi.Router) {
		r.Use(deadline, func(h http.Handler) http.Handler { return compress(h) })
		s.api(r)
		s.pages(r)
	})
	// The stream is neither packed nor given an end: it must not wait for a full block.
	r.Get("/events", s.events)

	var h http.Handler = s.below(s.d.Site.BasePath, r)
	for _, wrap := range []func(http.Handler) http.Handler{s.sameOrigin, s.ownHost, s.recovered, headers} {
		h = wrap(h)
	}
	return h, nil
}

func (s *Server) api(r chi.Router) {
	r.Get("/api/v1/clusters", s.apiClusters)
	r.Get("/api/v1/clusters/{cluster}/{instance}/series", s.apiSeries)
	r.Get("/api/v1/clusters/{cluster}/{instance}/diagnosis", s.apiDiagnosis)
	r.Get("/api/v1/incidents", s.apiIncidents)
	r.Get("/api/v1/incidents/{id}.md", s.apiReport)
	r.Get("/api/v1/incidents/{id}.jsonl", s.apiRecording)
	r.Get("/api/v1/incidents/{id}", s.apiIncident)
	r.Get("/api/v1/runbooks", s.apiRunbooks)
	r.Get("/api/v1/runbooks/{slug}", s.apiRunbook)
	r.Post("/api/v1/runs", s.apiStartRun)
	r.Get("/api/v1/runs/{id}", s.apiRun)
	r.Get("/healthz", s.healthz)
	r.Get("/readyz", s.readyz)
	r.Get("/metrics", s.metrics)
}

// pages are for people.
func (s *Server) pages(r chi.Router) {
	r.Get("/static/*", s.asset)
	s.overview(r)
	r.Get("/diagnosis", s.diagnosis)
	r.Get("/runbooks", s.runbookList)
	r.Get("/runbooks/{slug}", s.runbookPage)
	r.Post("/runbooks/{slug}/steps/{step}/run", s.runStep)
	r.Get("/r/{slug}", s.shortLink)
	r.Get("/go", s.alertLink)
	r.Post("/demo", s.demoAction)
	r.Get("/settings", s.settings)
	r.Get("/incidents", s.incidentList)
	r.Get("/incidents/{id}", s.incidentPage)
	r.Post("/demo", s.demoAction)
}

// below serves h under base and leads the bare host there.
func (s *Server) below(base string, h http.Handler) http.Handler {
	if base == "" {
		return h
	}
	inner := http.StripPrefix(base, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch p := r.URL.Path; {
		case strings.HasPrefix(p, base+"/"):
			inner.ServeHTTP(w, r)
		case p == base || p == "/":
			http.Redirect(w, r, base+"/", http.StatusTemporaryRedirect)
		default:
			s.nothingHere(w, r)
		}
	})
}

func (s *Server) nothingHere(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, notFound("There is no page at this address. A link from another version may have moved."))
}
