package web

import "github.com/go-chi/chi/v5"

// overview is the fleet, a cluster, an instance, and the parts of them that an
// open page fetches again.
func (s *Server) overview(r chi.Router) {
	r.Get("/", s.fleet)
	r.Get("/fragments/fleet", s.fleetPart)
	r.Get("/clusters/{cluster}", s.cluster)
	r.Get("/fragments/clusters/{cluster}", s.clusterPart)
	r.Get("/clusters/{cluster}/{instance}", s.instance)
	r.Get("/fragments/clusters/{cluster}/{instance}", s.instancePart)
	r.Get("/clusters/{cluster}/{instance}/charts.json", s.instanceCharts)
}
