package web

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// listPage is how many closed incidents a page shows.
const listPage = 200

// incidentList shows the open incidents, then the closed ones by day.
func (s *Server) incidentList(w http.ResponseWriter, r *http.Request) {
	f, err := s.incidentFilter(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if f.Limit == 0 {
		f.Limit = listPage
	}
	list, err := s.d.Incidents.Incidents(r.Context(), f)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := s.incidentListModel(list, f)
	p.Filter = s.incidentChoices(f)
	s.show(w, r, http.StatusOK, s.frame(r, "Incidents", "incidents"), views.Incidents(p))
}

func (s *Server) incidentListModel(list []store.Incident, f store.IncidentFilter) views.IncidentList {
	now := s.d.Now()
	p := views.IncidentList{}
	var open, closed []store.Incident
	for _, in := range list {
		if in.Ongoing() {
			open = append(open, in)
		} else {
			closed = append(closed, in)
		}
	}
	if len(open) > 0 {
		p.Groups = append(p.Groups, s.incidentGroup("Open", open, now))
	}
	for from := 0; from < len(closed); {
		to := from
		for to < len(closed) && sameDay(closed[from].OpenedAt, closed[to].OpenedAt) {
			to++
		}
		p.Groups = append(p.Groups, s.incidentGroup(closed[from].OpenedAt.UTC().Format("Monday, 2 January 2006"), closed[from:to], now))
		from = to
	}
	p.Head, p.Sub = incidentsSay(open, closed, f, now)
	if len(list) == 0 {
		p.Empty = "None has been seen. A stall that matches a runbook opens one here, with what was measured."
		if filtered(f) {
			p.Empty = "None fits this filter."
		}
	}
	if len(list) >= f.Limit && len(closed) > 0 {
		last := closed[len(closed)-1].OpenedAt.Add(-time.Millisecond)
		p.More = &views.Crumb{Label: "Older than " + when(last, now), Href: s.link("/incidents") + query("cluster", f.Cluster, "instance", f.Instance,
			"runbook", f.Runbook, "state", string(f.State), "to", millis(last))}
	}
	return p
}

func sameDay(a, b time.Time) bool {
	a, b = a.UTC(), b.UTC()
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

func filtered(f store.IncidentFilter) bool {
	return f.Cluster != "" || f.Instance != "" || f.Runbook != "" || f.State != "" || !f.From.IsZero() || !f.To.IsZero()
}

func incidentsSay(open, closed []store.Incident, f store.IncidentFilter, now time.Time) (head, sub string) {
	switch {
	case len(open) > 0:
		head = plural(len(open), "incident is open.", "incidents are open.")
		worst := slices.MaxFunc(open, func(a, b store.Incident) int { return a.Severity.Rank() - b.Severity.Rank() })
		sub = tied(worst.Summary)
	case f.State == store.StateClosed:
		head = plural(len(closed), "closed incident.", "closed incidents.")
	default:
		head = "No incident is open."
	}
	if len(open) == 0 && len(closed) > 0 {
		last := closed[0]
		sub = fmt.Sprintf("The last was on %s, %s ago: %s", last.Instance, coarse(now.Sub(last.OpenedAt)), last.Summary)
	}
	return head, sub
}

func (s *Server) incidentGroup(title string, list []store.Incident, now time.Time) views.IncidentGroup {
	g := views.IncidentGroup{Title: title}
	var total time.Duration
	for _, in := range list {
		total += max(0, in.Duration(now))
		g.Items = append(g.Items, s.incidentLine(in, now))
	}
	g.End = plural(len(list), "incident", "incidents")
	if !list[0].Ongoing() {
		g.End += ", " + lasted(total) + " in all"
	}
	return g
}

func (s *Server) incidentLine(in store.Incident, now time.Time) views.IncidentItem {
	item := views.IncidentItem{
		ID: in.ID, Href: s.incidentLink(in.ID), State: severityChip(in.Severity), Says: tied(in.Summary), Opened: when(in.OpenedAt, now),
		Where: in.Ref().String(), Book: views.Crumb{Label: s.bookTitle(in.Runbook), Href: s.bookLink(in.Runbook, in.Ref(), "", in.ID)},
	}
	if in.Ongoing() {
		age := ageOf(in.OpenedAt, now, true, "")
		item.Age = &age
	} else {
		item.Opened, item.Lasted = clock(in.OpenedAt), stallLasted(in)
	}
	if in.State == store.StateClearing {
		item.Note = "clearing"
	}
	if in.Muted != "" {
		item.Note = "muted: " + in.Muted
	}
	return item
}

func (s *Server) incidentLink(id string) string { return s.link("/incidents/" + pathEscape(id)) }

// incidentChoices is the form above the list.
func (s *Server) incidentChoices(f store.IncidentFilter) views.IncidentFilter {
	form := views.IncidentFilter{Action: s.link("/incidents")}
	states := choice("state", "State", "all", string(f.State), [][2]string{{"open", "open"}, {"closed", "closed"}})
	var clusters, books [][2]string
	for _, ref := range s.refs() {
		if n := len(clusters); n == 0 || clusters[n-1][0] != ref.Cluster {
			clusters = append(clusters, [2]string{ref.Cluster, ref.Cluster})
		}
	}
	for _, b := range s.d.Library().List() {
		books = append(books, [2]string{b.Slug, b.Title})
	}
	form.Choices = []views.Choice{states, choice("cluster", "Cluster", "all", f.Cluster, clusters), choice("runbook", "Runbook", "all", f.Runbook, books)}
	if filtered(f) {
		form.Clear = form.Action
	}
	return form
}

// choice is a field whose first option is no filter. A value that is not among
// the options (a cluster that is gone) stays chosen.
func choice(name, label, all, chosen string, options [][2]string) views.Choice {
	c := views.Choice{Name: name, Label: label, Options: []views.Option{{Label: all, Selected: chosen == ""}}}
	found := chosen == ""
	for _, o := range options {
		c.Options = append(c.Options, views.Option{Value: o[0], Label: o[1], Selected: o[0] == chosen})
		found = found || o[0] == chosen
	}
	if !found {
		c.Options = append(c.Options, views.Option{Value: chosen, Label: chosen, Selected: true})
	}
	return c
}
