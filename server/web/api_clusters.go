package web

import (
	"net/http"
	"time"

	"stallbook/store"
)

type clustersBody struct {
	Clusters []clusterBody `json:"clusters"`
}

type clusterBody struct {
	Name      string         `json:"name"`
	Instances []instanceBody `json:"instances"`
}

type instanceBody struct {
	Name     string       `json:"name"`
	Role     store.Role   `json:"role"`
	Version  string       `json:"version"`
	State    string       `json:"state"`
	Why      string       `json:"why,omitempty"`      // of "no data"
	Incident string       `json:"incident,omitempty"` // the worst open one
	Sources  []sourceBody `json:"sources"`
}

type sourceBody struct {
	Source  string   `json:"source"`
	OK      bool     `json:"ok"`
	AgeS    *float64 `json:"age_s"` // null: it never answered
	Message string   `json:"message"`
	Notes   []string `json:"notes,omitempty"` // what it may not see, with the remedy
}

func (s *Server) apiClusters(w http.ResponseWriter, r *http.Request) {
	open, err := s.openNow(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body := clustersBody{Clusters: []clusterBody{}}
	now := s.d.Now()
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() { // sorted, so a cluster's instances are neighbours
			n := len(body.Clusters)
			if n == 0 || body.Clusters[n-1].Name != ref.Cluster {
				body.Clusters = append(body.Clusters, clusterBody{Name: ref.Cluster})
				n++
			}
			c := &body.Clusters[n-1]
			c.Instances = append(c.Instances, instanceJSON(v.Instance(ref), open, now))
		}
	})
	writeJSON(w, http.StatusOK, body)
}

func instanceJSON(in *store.Instance, open []store.Incident, now time.Time) instanceBody {
	st := stateOf(in, open, now)
	out := instanceBody{Name: in.Ref.Instance, Role: in.Role, State: st.Word, Sources: []sourceBody{}}
	if st.Word == StateNoData {
		out.Why = st.Why
	}
	if st.Incident != nil {
		out.Incident = st.Incident.ID
	}
	if f, ok := in.Fact("pg.version"); ok {
		out.Version = f.Value
	}
	for _, src := range in.Sources() {
		b := sourceBody{Source: src.Source, OK: src.OK, Message: src.Message, Notes: src.Notes}
		if age, ok := src.Age(now); ok {
			sec := age.Seconds()
			b.AgeS = &sec
		}
		out.Sources = append(out.Sources, b)
	}
	return out
}
