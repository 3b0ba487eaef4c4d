package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// fleet is the first page.
func (s *Server) fleet(w http.ResponseWriter, r *http.Request) {
	v, err := s.fleetView(r.Context(), s.d.Now().UTC())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.frame(r, fleetTitle(v), "fleet")
	p.Foot = "Numbers are from the last second unless a window is given."
	s.show(w, r, http.StatusOK, p, views.FleetPage(v))
}

// fleetPart is what an open fleet page fetches each second. It is drawn once a
// second and handed to all readers.
func (s *Server) fleetPart(w http.ResponseWriter, r *http.Request) {
	html, err := s.fleetHTML.get(s.d.Now().UTC(), func(now time.Time) ([]byte, error) {
		// Not the reader's own context: one that leaves must not spoil it for the others.
		ctx := context.WithoutCancel(r.Context())
		v, err := s.fleetView(ctx, now)
		if err != nil {
			return nil, err
		}
		var buf bytes.Buffer
		err = views.FleetPage(v).Render(ctx, &buf)
		return buf.Bytes(), err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(html) // the reader may have left
}

// inFull is how many open incidents are told in full.
const inFull = 1

// onceASecond keeps what was drawn for the present second.
type onceASecond struct {
	mu   sync.Mutex
	at   time.Time
	html []byte
}

func (o *onceASecond) get(now time.Time, draw func(time.Time) ([]byte, error)) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if sec := now.Truncate(time.Second); o.html == nil || !o.at.Equal(sec) {
		html, err := draw(now)
		if err != nil {
			return nil, err
		}
		o.at, o.html = sec, html
	}
	return o.html, nil
}

func (s *Server) fleetView(ctx context.Context, now time.Time) (views.Fleet, error) {
	open, err := s.openNow(ctx)
	if err != nil {
		return views.Fleet{}, err
	}
	f := views.Fleet{Live: s.link("/fragments/fleet")}
	list := s.glances("", open, now)
	if len(list) == 0 {
		f.Awaits = "No instance is configured yet. Add one under clusters: in the configuration."
		return f, nil
	}
	byTrouble(list)
	f.Says = tallyOf(list)
	for _, g := range list {
		f.Cells = append(f.Cells, views.Cell{Kind: stateChip(g.state).Kind, Name: shortName(g.ref), Word: stateChip(g.state).Word, Href: s.instanceLink(g.ref)})
		f.Rows = append(f.Rows, s.row(g, now))
	}
	for i, in := range open {
		if i < inFull || len(open) <= inFull+1 && i <= inFull {
			f.Open = append(f.Open, s.openIncident(in, now))
		} else {
			f.More = append(f.More, s.openIncident(in, now))
		}
	}
	f.Silent = s.silentSources(list, now)
	f.Ended, f.Quiet, err = s.ended(ctx, store.IncidentFilter{}, time.Hour, now)
	return f, err
}

// glances copies the rows of one cluster, or of all.
func (s *Server) glances(cluster string, open []store.Incident, now time.Time) []glance {
	var list []glance
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			if cluster == "" || ref.Cluster == cluster {
				list = append(list, glanceAt(v.Instance(ref), open, now))
			}
		}
	})
	return list
}

// tallyOf is the fleet in one sentence.
func tallyOf(list []glance) []views.Part {
	clusters, n := map[string]bool{}, map[string]int{}
	for _, g := range list {
		clusters[g.ref.Cluster] = true
		switch {
		case g.state.Incident != nil:
			n["trouble"]++
		default:
			n[g.state.Word]++
		}
	}
	where := " in " + plural(len(clusters), "cluster", "clusters")
	if n[StateOK] == len(list) {
		if len(list) == 1 {
			return []views.Part{{Text: "The one instance is "}, {Text: "ok", Bold: true}, {Text: "."}}
		}
		return []views.Part{{Text: "All "}, {Text: plural(len(list), "instance", "instances"), Bold: true}, {Text: where + " are ok."}}
	}
	parts := []views.Part{{Text: store.Number(float64(len(list))), Bold: true}, {Text: " instances" + where + ": "}}
	if len(list) == 1 {
		parts[1].Text = " instance: "
	}
	sep := ""
	for _, k := range []struct{ key, says string }{
		{"trouble", " in trouble"}, {StateNoData, " without data"}, {StateHydrating, " hydrating"}, {StateOK, " ok"},
	} {
		if n[k.key] > 0 {
			parts = append(parts, views.Part{Text: sep}, views.Part{Text: store.Number(float64(n[k.key])), Bold: k.key != StateOK}, views.Part{Text: k.says})
			sep = ", "
		}
	}
	return parts
}

func fleetTitle(v views.Fleet) string {
	if len(v.Open) > 0 {
		return "Fleet: " + v.Open[0].Says
	}
	return "Fleet"
}

func (s *Server) clusterLink(name string) string { return s.link("/clusters/" + url.PathEscape(name)) }

func (s *Server) instanceLink(ref store.Ref) string {
	return s.clusterLink(ref.Cluster) + "/" + url.PathEscape(ref.Instance)
}
