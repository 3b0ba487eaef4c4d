package web

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"stallbook/store"
)

// nearby is how long after its last second an incident still answers an alert:
// alert rules wait before they fire.
const nearby = 15 * time.Minute

// alertLink takes a person from an alert to the best page there is: the incident
// there, else the runbook that fits, else the diagnosis. Whatever the alert's
// labels hold, it never answers with an error.
func (s *Server) alertLink(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	at, err := parseTime("at", q.Get("at"))
	if err != nil || at.After(s.d.Now()) {
		at = time.Time{}
	}
	ref := s.meant(q.Get("cluster"), q.Get("instance"))
	http.Redirect(w, r, s.alertTarget(r.Context(), q.Get("alertname"), ref, at), http.StatusSeeOther)
}

func (s *Server) alertTarget(ctx context.Context, alert string, ref store.Ref, at time.Time) string {
	if in, ok := s.incidentAt(ctx, ref, at); ok {
		return s.incidentLink(in.ID)
	}
	if slug := s.bestBook(ctx, alert, ref, at); slug != "" {
		return s.bookLink(slug, ref, atParam(at), "")
	}
	if ref.Instance != "" {
		return s.diagnosisLink(ref, at)
	}
	if ref.Cluster != "" {
		return s.clusterLink(ref.Cluster)
	}
	return s.link("/diagnosis")
}

// meant finds the instance that an alert's labels name: they may carry a port,
// or only one of the two names. What can't be told stays empty.
func (s *Server) meant(cluster, instance string) store.Ref {
	refs := s.refs()
	host := instance
	if h, _, err := net.SplitHostPort(instance); err == nil {
		host = h
	}
	var found []store.Ref
	inCluster := false
	for _, ref := range refs {
		inCluster = inCluster || ref.Cluster == cluster
		if (cluster == "" || ref.Cluster == cluster) && (ref.Instance == instance || ref.Instance == host || ref.String() == instance) {
			found = append(found, ref)
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case inCluster:
		return s.only(cluster, refs)
	}
	return store.Ref{}
}

// only is the cluster's instance when it has one alone.
func (s *Server) only(cluster string, refs []store.Ref) store.Ref {
	mine := slices.DeleteFunc(slices.Clone(refs), func(r store.Ref) bool { return r.Cluster != cluster })
	if len(mine) == 1 {
		return mine[0]
	}
	return store.Ref{Cluster: cluster}
}

// incidentAt is the incident that an alert on ref means: an open one, the worst
// first; with at in the past, one that was going on then or had just ended.
func (s *Server) incidentAt(ctx context.Context, ref store.Ref, at time.Time) (store.Incident, bool) {
	if ref.Cluster == "" {
		return store.Incident{}, false
	}
	list, err := s.d.Incidents.Incidents(ctx, store.IncidentFilter{Cluster: ref.Cluster, Limit: 500})
	if err != nil {
		return store.Incident{}, false
	}
	list = slices.DeleteFunc(slices.Clone(list), func(in store.Incident) bool {
		if at.IsZero() {
			return !in.Ongoing()
		}
		return in.OpenedAt.After(at.Add(time.Minute)) || !in.Ongoing() && in.LastYes.Add(nearby).Before(at)
	})
	// On the instance itself, then elsewhere in its cluster: a stall on the standby
	// stops the primary that the alert is about.
	slices.SortStableFunc(list, func(a, b store.Incident) int {
		return cmp.Or(
			cmp.Compare(yesNo(b.Instance == ref.Instance), yesNo(a.Instance == ref.Instance)),
			cmp.Compare(yesNo(b.Ongoing()), yesNo(a.Ongoing())),
			b.Severity.Rank()-a.Severity.Rank(), b.OpenedAt.Compare(a.OpenedAt))
	})
	if len(list) == 0 {
		return store.Incident{}, false
	}
	return list[0], true
}

// bestBook is the runbook that matched there, else the one that the alert is
// named after, else one that is possible there.
func (s *Server) bestBook(ctx context.Context, alert string, ref store.Ref, at time.Time) string {
	var judged []store.Diagnosis
	if ref.Instance != "" {
		var err error
		if _, judged, err = s.judged(ctx, ref, at); err != nil {
			judged = nil
		}
	}
	for _, want := range []store.MatchVerdict{store.Matched, "", store.Possible} {
		if want == "" {
			if slug := s.namedAfter(alert); slug != "" {
				return slug
			}
			continue
		}
		for _, d := range judged {
			if d.Verdict == want && d.Hold > 0 {
				return d.Runbook
			}
		}
	}
	return ""
}

// namedAfter finds the runbook whose slug an alert's name holds, however its
// words are joined: AutovacuumStall, autovacuum_stall.
func (s *Server) namedAfter(alert string) string {
	plain := func(v string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, v)
	}
	name := plain(alert)
	for _, b := range s.d.Library().List() {
		if name != "" && strings.Contains(name, plain(b.Slug)) {
			return b.Slug
		}
	}
	return ""
}
