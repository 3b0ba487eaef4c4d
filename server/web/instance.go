package web

import (
	"context"
	"net/http"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// instance is the page of one server over time.
func (s *Server) instance(w http.ResponseWriter, r *http.Request) {
	ref, win, err := s.instanceQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v, set, err := s.instanceView(r.Context(), ref, win)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if len(set.charts) > 0 {
		v.Stack = s.stackView(r.Context(), ref, set, v)
		v.Twin = twinOf(set)
	}
	p := s.frame(r, ref.Instance, "fleet")
	p.CSS = append(p.CSS, s.linked("vendor/uPlot.min.css")...)
	p.JS = append(p.JS, s.linked("vendor/uPlot.iife.min.js", "charts.js")...)
	if set.step > time.Second {
		p.Foot = "A point is " + lasted(set.step) + "; each keeps its lowest and highest second, so a stall of 1 s is as tall as it was."
	} else {
		p.Foot = "A point is a second; nothing is averaged."
	}
	s.show(w, r, http.StatusOK, p, views.InstancePage(v))
}

// instancePart is what an open instance page fetches each second beside its charts.
func (s *Server) instancePart(w http.ResponseWriter, r *http.Request) {
	ref, win, err := s.instanceQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v, _, err := s.instanceView(r.Context(), ref, win)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.part(w, r, views.InstanceLive(v))
}

func (s *Server) instanceQuery(r *http.Request) (store.Ref, timeWindow, error) {
	ref, err := s.known(pathRef(r))
	if err != nil {
		return ref, timeWindow{}, err
	}
	win, err := windowOf(r, s.d.Now().UTC())
	return ref, win, err
}

// instanceView is everything on the page but the charts themselves. A history
// that can't be read is said on the page; the rest stands.
func (s *Server) instanceView(ctx context.Context, ref store.Ref, win timeWindow) (views.Instance, chartSet, error) {
	now := s.d.Now().UTC()
	open, err := s.openNow(ctx)
	if err != nil {
		return views.Instance{}, chartSet{}, err
	}
	path := s.instanceLink(ref)
	v := views.Instance{
		Crumbs:   []views.Crumb{{Label: "Fleet", Href: s.link("/")}, {Label: ref.Cluster, Href: s.clusterLink(ref.Cluster)}},
		DiagHref: s.link("/diagnosis") + query("cluster", ref.Cluster, "instance", ref.Instance, "at", atUnlessLive(win)),
	}
	win.links(&v, path, now)
	v.Live = s.link("/fragments"+"/clusters/"+pathEscape(ref.Cluster)+"/"+pathEscape(ref.Instance)) + query("range", win.key, "to", atUnlessLive(win))
	g := s.instanceFacts(&v, ref, open, now)
	stalls, err := s.stallsIn(ctx, ref, win, now)
	if err != nil {
		return v, chartSet{}, err
	}
	for _, in := range stalls {
		v.Stalls = append(v.Stalls, s.incidentItem(in, now))
	}
	v.StallsNone = "None in " + win.says() + "."
	s.instanceSays(&v, g, stalls, open, win, now)
	if says := s.loadingSays(ctx, ref, now); says != "" && win.live {
		v.Sub = says
	}

	set, err := s.chartSet(ctx, ref, win)
	switch {
	case err != nil:
		v.Empty = "The history can't be read: " + describe(err).Message
	case len(set.charts) == 0 && g.state.Never:
		v.Empty = "Waiting for the first sample from " + ref.Instance + "."
	case len(set.charts) == 0:
		v.Empty = "Nothing was measured here in " + win.says() + "."
	}
	s.unmeasured(&v, ref, set, g)
	return v, set, nil
}

func atUnlessLive(w timeWindow) string {
	if w.live {
		return ""
	}
	return millis(w.to)
}

// stallsIn lists the incidents of an instance that overlap the window, newest first.
func (s *Server) stallsIn(ctx context.Context, ref store.Ref, win timeWindow, now time.Time) ([]store.Incident, error) {
	all, err := s.d.Incidents.Incidents(ctx, store.IncidentFilter{Cluster: ref.Cluster, Instance: ref.Instance, To: win.to.Add(time.Second), Limit: 500})
	if err != nil {
		return nil, err
	}
	var out []store.Incident
	for _, in := range all {
		if in.State != store.StatePending && in.OpenedAt.Add(in.Duration(now)).After(win.from) && in.OpenedAt.Before(win.to) {
			out = append(out, in)
		}
	}
	return out, nil
}
