package web

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// After a promotion with the old primary still up, a page about one of the two
// must not show or run anything on the other.
func TestPageOfAPrimaryStaysWithIt(t *testing.T) {
	w := newWorld(t)
	w.push(standby, "postgres", store.RolePrimary, noon, map[string]float64{"pg.active": 1})
	s := w.server(Site{})
	if got := s.targets(primary); got.primary != primary {
		t.Errorf("the page of %s acts on %s", primary, got.primary)
	}
	if got := s.targets(standby); got.primary != standby {
		t.Errorf("the page of %s acts on %s", standby, got.primary)
	}
}

func TestOutageImpactCountsFromTheOutage(t *testing.T) {
	w := newWorld(t)
	in := open()
	end := noon
	in.Severity, in.State, in.ClosedAt = store.Outage, store.StateClosed, &end
	in.OpenedAt, in.SevereAt, in.LastYes = noon.Add(-77*time.Second), noon.Add(-59*time.Second), noon
	first := w.server(Site{}).impact(in, noon.Add(time.Minute))[0]
	if !strings.Contains(first.Value.Num, "59 s") || !strings.Contains(first.Ref, clock(in.SevereAt)) {
		t.Errorf("%+v", first)
	}
}

func TestCountOfEventsIsNotTheSignal(t *testing.T) {
	v := 5.0
	got := impactOf(store.Evidence{Signal: "latency.p99_ms", Says: "p99 spikes when a WAL segment is created", Unit: "events", Observed: &v, Verdict: store.Yes})
	if got.Title != "p99 spikes when a WAL segment is created" {
		t.Errorf("title %q", got.Title)
	}
}

func TestReasonOfSilenceIsThatOfPostgres(t *testing.T) {
	var st InstanceState
	st.hear([]store.SourceStatus{{Source: "latency", Message: "the connection is down"}, {Source: "postgres", Message: "connection refused"}}, noon)
	if st.Why != "postgres: connection refused" {
		t.Errorf("why %q", st.Why)
	}
}

func TestTwoPrimariesAreNotOK(t *testing.T) {
	w := newWorld(t)
	w.push(standby, "postgres", store.RolePrimary, noon, map[string]float64{"pg.active": 1})
	if page := ask(t, w.server(Site{}).Handler(), "GET", "/clusters/orders", "").text; !strings.Contains(page, "both say that they are the primary") {
		t.Error("the cluster's page does not say so")
	}
}

func TestMuteShowsBeforeAnyIncident(t *testing.T) {
	w := newWorld(t)
	site := Site{Muted: func(cluster string, _ time.Time) (string, bool) { return "storage migration", cluster == "orders" }}
	for _, path := range []string{"/", "/clusters/orders", "/incidents"} {
		if page := ask(t, w.server(site).Handler(), "GET", path, "").text; !strings.Contains(page, "Incidents of orders open silently: storage migration.") {
			t.Errorf("%s does not say so", path)
		}
	}
}

// A role that may not see the waits must not look as if all were well.
func TestBlindRoleIsSaid(t *testing.T) {
	w := newWorld(t)
	w.window.Push(store.Batch{Ref: primary, Source: "postgres", At: noon, Role: store.RolePrimary,
		Notes: []string{"sessions and their waits are hidden from role watcher: GRANT pg_monitor TO watcher;"}})
	page := ask(t, w.server(Site{}).Handler(), "GET", "/clusters/orders/orders-1", "").text
	if !strings.Contains(page, "Partly blind") || !strings.Contains(page, "GRANT pg_monitor TO watcher") {
		t.Error("the page does not say that the role is blind and what mends it")
	}
}
