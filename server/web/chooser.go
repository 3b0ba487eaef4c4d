package web

import (
	"fmt"
	"net/http"

	"stallbook/store"
	"stallbook/views"
)

// chooser lists the instances with their state and their nearest signature.
func (s *Server) chooser(r *http.Request, link func(store.Ref) string, head, sub string) views.ChooserPage {
	p := views.ChooserPage{Head: head, Sub: sub}
	open, err := s.openNow(r.Context())
	if err != nil {
		open = nil // the states then come from the readings alone
	}
	now := s.d.Now()
	var refs []store.Ref
	s.d.Window.Read(func(v store.View) {
		refs = v.Refs()
		for _, ref := range refs {
			n := len(p.Clusters)
			if n == 0 || p.Clusters[n-1].Name != ref.Cluster {
				p.Clusters = append(p.Clusters, views.ChooserCluster{Name: ref.Cluster})
				n++
			}
			c := &p.Clusters[n-1]
			in := v.Instance(ref)
			c.Instances = append(c.Instances, views.ChooserInstance{
				Name: ref.Instance, Role: string(in.Role), Href: link(ref), State: stateChip(stateOf(in, open, now)),
			})
		}
	})
	if len(refs) == 0 {
		p.Empty = "No instance is configured yet. Add one under clusters: in the configuration."
	}
	for i := range p.Clusters {
		for j := range p.Clusters[i].Instances {
			in := &p.Clusters[i].Instances[j]
			in.Nearest = s.nearest(store.Ref{Cluster: p.Clusters[i].Name, Instance: in.Name})
		}
	}
	return p
}

// nearest names what matches on ref now, or what comes nearest to it.
func (s *Server) nearest(ref store.Ref) string {
	_, list := s.d.Matcher.Diagnoses(ref)
	switch {
	case len(list) == 0:
		return ""
	case list[0].Verdict == store.Matched:
		return s.titleOf(list[0]) + " matches."
	}
	return fmt.Sprintf("None of %d matches. Nearest: %s, %d of %d.", len(list), lowerFirst(s.titleOf(list[0])), list[0].Hold, list[0].Needed)
}

// stateChip is an instance's state as shape and word.
func stateChip(st InstanceState) views.State {
	switch st.Word {
	case StateOK:
		return views.State{Kind: "ok", Word: "OK"}
	case StateNoData:
		if st.Never {
			return views.State{Kind: "nodata", Word: "No data yet"}
		}
		return views.State{Kind: "nodata", Word: "No data, " + lasted(st.Age)}
	case StateHydrating:
		if st.Progress == nil {
			return views.State{Kind: "hydrating", Word: "Hydrating, progress not reported"}
		}
		return views.State{Kind: "hydrating", Word: "Hydrating " + store.Quantity(*st.Progress, "%")}
	}
	return severityChip(store.Severity(st.Word))
}

func severityChip(sev store.Severity) views.State {
	return views.State{Kind: string(sev), Word: capital(string(sev))}
}
