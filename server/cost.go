package server

import (
	"cmp"
	"slices"

	"stallbook/server/source/awscall"
	"stallbook/server/web"
	"stallbook/store"
)

// settings is what the settings page shows of a running service.
func (s *service) settings() web.Settings {
	return web.Settings{Retention: s.cfg.Load().Retention, Clouds: s.fleet.clouds()}
}

// clouds counts what was asked of each AWS account and region in use.
func (f *fleet) clouds() []web.Cloud {
	refs := f.membersByPlace()
	var out []web.Cloud
	for _, at := range f.places.all() {
		c := web.Cloud{Place: placeName(at), Refs: refs[at]}
		over, counts := at.meter.Counts()
		c.Over = over
		for _, n := range counts {
			c.Calls = append(c.Calls, web.Call{
				Action: n.Action, Feature: awscall.Feature(n.Action), Requests: n.Requests, Throttled: n.Throttled, Metrics: n.Metrics, Denied: n.Denied,
			})
		}
		out = append(out, c)
	}
	return out
}

func placeName(at *place) string {
	name := at.Region
	if at.AssumeRole != "" {
		name += " as " + at.AssumeRole
	}
	if at.Profile != "" {
		name += ", profile " + at.Profile
	}
	return name
}

func (f *fleet) membersByPlace() map[*place][]store.Ref {
	f.turn.Lock()
	defer f.turn.Unlock()
	out := map[*place][]store.Ref{}
	for ref, m := range f.members {
		if m.api != nil {
			out[m.at] = append(out[m.at], ref)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b store.Ref) int { return cmp.Compare(a.String(), b.String()) })
	}
	return out
}
