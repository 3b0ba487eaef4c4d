package web

import (
	"context"
	"slices"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// ended lists the incidents that closed within the last span, newest first; quiet
// is what to say when there is none.
func (s *Server) ended(ctx context.Context, f store.IncidentFilter, span time.Duration, now time.Time) (list []views.Item, quiet string, err error) {
	f.State, f.Limit = store.StateClosed, 100
	closed, err := s.d.Incidents.Incidents(ctx, f)
	if err != nil {
		return nil, "", err
	}
	for _, in := range closed {
		if in.ClosedAt == nil || now.Sub(*in.ClosedAt) > span {
			continue
		}
		if len(list) == 12 {
			break
		}
		list = append(list, s.incidentItem(in, now))
	}
	if len(list) > 0 {
		return list, "", nil
	}
	if len(closed) == 0 {
		return nil, "None, and none before that is kept.", nil
	}
	last := closed[0]
	return nil, "None. The last was on " + shortName(last.Ref()) + ", " + coarse(now.Sub(last.OpenedAt)) + " ago, for " + lasted(last.Duration(now)) + ".", nil
}

// incidentItem is an incident as one entry of a list.
func (s *Server) incidentItem(in store.Incident, now time.Time) views.Item {
	chip := severityChip(in.Severity)
	aside := when(in.OpenedAt, now) + ", " + lasted(in.Duration(now))
	if in.Ongoing() {
		aside = "since " + when(in.OpenedAt, now)
	}
	return views.Item{ID: "item-" + in.ID, Title: shortName(in.Ref()), Href: s.link("/incidents/" + in.ID), Chip: &chip, Aside: aside, Says: in.Summary}
}

// when is a time of day, with its date when that is not today's.
func when(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return clock(t)
	}
	return t.Format("2 Jan 15:04")
}

// silentSources lists the sources that fail or say nothing, the longest silent first.
func (s *Server) silentSources(list []glance, now time.Time) []views.Item {
	type silent struct {
		g   glance
		src store.SourceStatus
	}
	var found []silent
	for _, g := range list {
		for _, src := range g.sources {
			if isSilent(src, now) {
				found = append(found, silent{g, src})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b silent) int { return a.src.LastOK.Compare(b.src.LastOK) })
	var out []views.Item
	for i, f := range found {
		if i == 20 {
			out = append(out, views.Item{ID: "silent-more", Says: plural(len(found)-i, "more source is silent.", "more sources are silent.")})
			break
		}
		it := sourceItem(f.src, now)
		it.ID = domID("silent-"+f.src.Source, f.g.ref)
		it.Title, it.Href = shortName(f.g.ref), s.instanceLink(f.g.ref)
		out = append(out, it)
	}
	return out
}

// isSilent: it failed the last time, or missed three readings.
func isSilent(src store.SourceStatus, now time.Time) bool {
	age, ever := src.Age(now)
	return src.Message != "" || !ever || age > max(5*time.Second, 3*src.Every)
}

// sourceItem says how a source fares: its age, why it fails, what it can't see.
func sourceItem(src store.SourceStatus, now time.Time) views.Item {
	age := ageOf(src.LastOK, now, false, "never")
	it := views.Item{ID: "source-" + src.Source, Title: src.Source, AsideAge: &age, Says: src.Message}
	if isSilent(src, now) {
		it.Chip = &views.State{Kind: "nodata", Word: src.Source}
		it.Title = ""
		if it.Says == "" {
			it.Says = "It says nothing, and no error either."
			if src.LastTry.IsZero() {
				it.Says = "Waiting for its first answer."
			}
		}
	}
	for _, n := range src.Notes {
		if it.Says != "" {
			it.Says += " "
		}
		it.Says += n
	}
	return it
}
