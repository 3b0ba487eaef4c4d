package web

import (
	"net/url"
	"testing"
	"time"

	"stallbook/store"
)

func TestAlertLink(t *testing.T) {
	closed := open()
	end := noon.Add(-2 * time.Hour)
	closed.ID, closed.State, closed.ClosedAt, closed.LastYes, closed.OpenedAt = "40", store.StateClosed, &end, end, end.Add(-time.Minute)
	matched := []store.Diagnosis{{Runbook: "wal-pool-stall", Verdict: store.Matched, Hold: 2, Needed: 2}}
	for _, c := range []struct {
		name, query, want string
		list              []store.Incident
		judged            []store.Diagnosis
	}{
		{"the open incident", "cluster=orders&instance=orders-2", "/incidents/41", []store.Incident{closed, open()}, nil},
		{"the open incident of its cluster", "cluster=orders&instance=orders-1:9187", "/incidents/41", []store.Incident{open()}, nil},
		{"by the instance alone", "instance=orders-2", "/incidents/41", []store.Incident{open()}, nil},
		{"one that had just ended then", "cluster=orders&instance=orders-2&at=2026-12-01T10:05:00Z", "/incidents/40", []store.Incident{closed, open()}, nil},
		{"what matches there", "cluster=orders&instance=orders-1", "/runbooks/wal-pool-stall?cluster=orders&instance=orders-1", nil, matched},
		{"what the alert is named after", "alertname=Autovacuum_Stall&cluster=orders&instance=orders-1", "/runbooks/autovacuum-stall?cluster=orders&instance=orders-1", nil, nil},
		{"the diagnosis", "alertname=HighLatency&cluster=orders&instance=orders-1", "/diagnosis?cluster=orders&instance=orders-1", nil, nil},
		{"the cluster", "alertname=HighLatency&cluster=orders", "/clusters/orders", nil, nil},
		{"nothing known", "alertname=%00%ff&cluster=nope&instance=nope&at=never", "/diagnosis", nil, nil},
		{"nothing at all", "", "/diagnosis", []store.Incident{open()}, nil},
	} {
		w := newWorld(t)
		w.list = c.list
		w.judged[primary] = c.judged
		a := ask(t, w.server(Site{}).Handler(), "GET", "/go?"+c.query, "")
		if got := a.Header.Get("Location"); a.StatusCode != 303 || got != c.want {
			t.Errorf("%s: %d to %s, want %s", c.name, a.StatusCode, got, c.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for _, v := range []string{"1796126400000", "2026-12-01T12:00:00Z", "2026-12-01T13:00:00+01:00", "2026-12-01T12:00:00.000Z"} {
		if got, err := parseTime("at", v); err != nil || !got.Equal(noon) || got.Location() != time.UTC {
			t.Errorf("%s: %v %v", v, got, err)
		}
	}
	for _, v := range []string{"now", "-1", "2026-12-01", "1e12", "253402300800000"} {
		if got, err := parseTime("at", v); err == nil {
			t.Errorf("%s is read as %v", v, got)
		}
	}
	if got, err := parseTime("at", ""); err != nil || !got.IsZero() {
		t.Error("no time is not now")
	}
}

func FuzzAlertLinkNeverFails(f *testing.F) {
	w := newWorld(f)
	w.list = []store.Incident{open()}
	h := w.server(Site{}).Handler()
	f.Add("HighLatency", "orders", "orders-1", "1796126400000")
	f.Add("%", "orders/..", "//evil.example", "x")
	f.Fuzz(func(t *testing.T, alert, cluster, instance, at string) {
		q := url.Values{"alertname": {alert}, "cluster": {cluster}, "instance": {instance}, "at": {at}}
		a := ask(t, h, "GET", "/go?"+q.Encode(), "")
		to, err := url.Parse(a.Header.Get("Location"))
		if a.StatusCode != 303 || err != nil || to.Host != "" || to.Path == "" {
			t.Errorf("%d to %q", a.StatusCode, a.Header.Get("Location"))
		}
	})
}
