package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// instanceFacts fills in what the Window knows: state, path, sources, settings.
func (s *Server) instanceFacts(v *views.Instance, ref store.Ref, open []store.Incident, now time.Time) glance {
	var g glance
	s.d.Window.Read(func(view store.View) {
		in := view.Instance(ref)
		if in == nil {
			return // removed by a reload between two looks
		}
		g = glanceAt(in, open, now)
		label := ref.Instance
		if in.Role != "" {
			label += ", " + string(in.Role)
		}
		for _, name := range []string{"pg.version", "pg.setting.server_version"} {
			if f, ok := in.Fact(name); ok {
				label += ", PostgreSQL " + f.Value
				break
			}
		}
		v.Crumbs = append(v.Crumbs, views.Crumb{Label: label})
		for name, f := range in.Facts() {
			if short, ok := strings.CutPrefix(name, "pg.setting."); ok {
				v.Facts = append(v.Facts, views.Fact{Name: short, Says: cmp.Or(f.Value, "empty")})
			} else if strings.HasPrefix(name, "rds.") && f.Value != "none" {
				v.Facts = append(v.Facts, views.Fact{Name: name, Says: f.Value})
			}
		}
	})
	slices.SortFunc(v.Facts, func(a, b views.Fact) int { return strings.Compare(a.Name, b.Name) })
	v.State = stateChip(g.state)
	for _, src := range g.sources {
		v.Sources = append(v.Sources, sourceItem(src, now))
	}
	return g
}

// instanceSays is the page's sentence: what is wrong now, else what was in view.
func (s *Server) instanceSays(v *views.Instance, g glance, stalls, open []store.Incident, win timeWindow, now time.Time) {
	ref := g.ref
	var over []store.Incident
	last := ", last at "
	for _, in := range stalls {
		if !in.Ongoing() {
			over = append(over, in)
		}
	}
	if len(over) == 1 {
		last = ", at "
	}
	switch {
	case g.state.Incident != nil:
		v.Says = g.state.Incident.Summary
		v.Now = "since " + when(g.state.Incident.OpenedAt, now) + ", " + lasted(g.state.Incident.Duration(now))
	case g.state.Word == StateNoData && win.live:
		v.Says = silence1(g)
	case len(over) > 0:
		v.Says = ref.Instance + " stalled " + times(len(over)) + " in " + win.says() + last + when(over[0].OpenedAt, now) + " for " + lasted(over[0].Duration(now)) + "."
	case g.state.Word == StateHydrating:
		v.Says = "The volume of " + ref.Instance + " is still loading from a snapshot."
	default:
		v.Says = "No stall seen on " + ref.Instance + " in " + win.says() + "."
		if hidden := blind(g.sources); hidden != "" {
			v.Sub = "Partly blind, so one may have gone unseen: " + sentence(hidden)
		}
	}
	if v.Now == "" && len(over) > 0 {
		v.Now = "last stall " + when(over[0].OpenedAt, now) + ", " + lasted(over[0].Duration(now))
	}
	for _, in := range open {
		if in.Cluster == ref.Cluster && in.Instance != ref.Instance {
			v.Sub = "Open in this cluster, on " + in.Instance + ": " + in.Summary
			break
		}
	}
}

// unmeasured lists the charts without data, why, and what would bring them.
func (s *Server) unmeasured(v *views.Instance, ref store.Ref, set chartSet, g glance) {
	s.d.Window.Read(func(view store.View) {
		in := view.Instance(ref)
		if in == nil {
			return
		}
		for _, def := range set.missing {
			if def.id == "loaded" {
				continue // a volume that is whole has no progress
			}
			why := whyNever(in, def.lines[0].id(), g.sources)
			if why == "nothing read yet" && (!set.win.live || in.Get(def.lines[0].id(), "") != nil) {
				why = "no value in " + set.win.says()
			}
			v.Unmeasured = alike(v.Unmeasured, def.title, sentence(capital(why)))
		}
	})
}

// alike puts what is missing for one reason under one head.
func alike(list []views.Unmeasured, title, why string) []views.Unmeasured {
	for i := range list {
		if list[i].Why == why {
			list[i].Title += ", " + lowerFirst(title)
			return list
		}
	}
	return append(list, views.Unmeasured{Title: title, Why: why})
}
