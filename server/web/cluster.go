package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// cluster is the page of a primary and its standbys.
func (s *Server) cluster(w http.ResponseWriter, r *http.Request) {
	v, err := s.clusterView(r.Context(), pathValue(r, "cluster"), s.d.Now().UTC())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.frame(r, v.Crumbs[1].Label, "fleet")
	p.Foot = "Numbers are from the last second unless a window is given."
	s.show(w, r, http.StatusOK, p, views.ClusterPage(v))
}

// clusterPart is what an open cluster page fetches each second.
func (s *Server) clusterPart(w http.ResponseWriter, r *http.Request) {
	v, err := s.clusterView(r.Context(), pathValue(r, "cluster"), s.d.Now().UTC())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.part(w, r, views.ClusterPage(v))
}

func (s *Server) clusterView(ctx context.Context, name string, now time.Time) (views.Cluster, error) {
	all, err := s.openNow(ctx)
	if err != nil {
		return views.Cluster{}, err
	}
	list := s.glances(name, all, now)
	if len(list) == 0 {
		return views.Cluster{}, notFound("No cluster " + quoted(name) + " is watched here." + s.nearCluster(name))
	}
	byTrouble(list)
	v := views.Cluster{
		Crumbs: []views.Crumb{{Label: "Fleet", Href: s.link("/")}, {Label: name}},
		Live:   s.link("/fragments/clusters/" + pathEscape(name)), State: stateChip(list[0].state),
	}
	for _, in := range all {
		if in.Cluster == name {
			v.Open = append(v.Open, s.openIncident(in, now))
		}
	}
	for _, g := range list {
		v.Rows = append(v.Rows, s.row(g, now))
		for _, src := range g.sources {
			it := sourceItem(src, now)
			it.ID = domID("source-"+src.Source, g.ref)
			it.Title = strings.TrimSpace(it.Title + " " + g.ref.Instance)
			v.Sources = append(v.Sources, it)
		}
	}
	v.Says = clusterSays(name, list)
	s.replication(&v, list, now)
	v.Recent, v.None, err = s.ended(ctx, store.IncidentFilter{Cluster: name}, 24*time.Hour, now)
	return v, err
}

// clusterSays is the cluster in one sentence, the worst first.
func clusterSays(name string, list []glance) string {
	worst := list[0]
	switch {
	case worst.state.Incident != nil && len(primaries(list)) < 2:
		if len(list) == 1 {
			return worst.ref.Instance + " is in trouble."
		}
		hit := 0
		for _, g := range list {
			if g.state.Incident != nil {
				hit++
			}
		}
		return fmt.Sprintf("%s: %s of %s %s in trouble.", name, counted(hit), countedOf(len(list), "instance", "instances"), map[bool]string{true: "is", false: "are"}[hit == 1])
	case len(primaries(list)) > 1:
		return strings.Join(primaries(list), " and ") + " both say that they are the primary: writes may go to either."
	case worst.state.Word == StateNoData:
		return silence1(worst)
	case worst.state.Word == StateHydrating:
		return "The volume of " + worst.ref.Instance + " is still loading from a snapshot."
	case len(list) == 1:
		return name + " is ok."
	}
	return name + ": all " + plural(len(list), "instance", "instances") + " are ok."
}

// primaries names the instances that say now that they are the primary. More than
// one is no switchover any more when both still answer.
func primaries(list []glance) (names []string) {
	for _, g := range list {
		if g.role == store.RolePrimary && !g.state.Never && g.state.Age <= silence {
			names = append(names, g.ref.Instance)
		}
	}
	slices.Sort(names)
	return names
}

// silence1 says that an instance is silent, since when, and why.
func silence1(g glance) string {
	out := "No reading from " + g.ref.Instance
	if g.state.Never {
		out += " yet"
	} else {
		out += " for " + lasted(g.state.Age)
	}
	if g.state.Why == "" {
		return out + "."
	}
	return out + ": " + sentence(g.state.Why)
}

func (s *Server) nearCluster(name string) string {
	var names []string
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			names = append(names, ref.Cluster)
		}
	})
	if n := store.Nearest(name, names); n != "" {
		return " Did you mean " + quoted(n) + "?"
	}
	return ""
}

func quoted(s string) string { return "\"" + s + "\"" }
