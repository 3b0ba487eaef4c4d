package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// played fills the Window with a recorded stall whose last second is noon.
func (w *world) played(fixture string, rename map[string]store.Ref) {
	w.t.Helper()
	f, err := w.library.OpenFixture(fixture)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	var all []store.Batch
	problems, err := store.ReadRecording(f, fixture, func(_ int, b store.Batch) error {
		all = append(all, b)
		return nil
	})
	if err != nil || len(problems) > 0 {
		w.t.Fatal(err, problems)
	}
	shift := noon.Sub(all[len(all)-1].At)
	for _, b := range all {
		b.At, b.Ref, b.Source = b.At.Add(shift), rename[b.Instance], "replay"
		w.window.Push(b)
	}
}

func TestInstanceDrawsARecordedStall(t *testing.T) {
	w := newWorld(t)
	ref := store.Ref{Cluster: "events", Instance: "events-1"}
	w.played("autovacuum-stall/autovacuum-iops-form.jsonl", map[string]store.Ref{"primary": ref})
	closed := noon.Add(-2 * time.Minute)
	w.list = []store.Incident{{ID: "7", Cluster: "events", Instance: "events-1", Runbook: "autovacuum-stall", Severity: store.Stall, State: store.StateClosed,
		OpenedAt: noon.Add(-149 * time.Second), LastYes: noon.Add(-142 * time.Second), ClosedAt: &closed, Summary: "Autovacuum stalls events-1."}}
	w.events[ref] = []store.Event{{At: noon.Add(-time.Minute), Kind: "setting", Text: "max_wal_size changed"}, {At: noon, Kind: "run", Text: "a check ran"}}
	p := w.page("/clusters/events/events-1")
	for _, want := range []string{"limit 1,500 /s", "limit 60 MiB/s", "events-1 stalled once in the last 5 minutes, at 11:57:31 for 7\u00a0s.", "1,173 ms at 11:57:3", "max_wal_size changed", `class="win"`, "The same numbers as a table", `data-tail`, "A point is a second"} {
		if !strings.Contains(p, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(p, "a check ran") {
		t.Error("runs clutter the charts")
	}
	if strings.Contains(p, "NaN") || strings.Contains(p, "Inf") {
		t.Error("a number that is none got out")
	}
}

func TestChartsJSONKeepsGapsAndTails(t *testing.T) {
	w := newWorld(t)
	for i := 120; i >= 0; i-- {
		if i < 60 || i > 90 {
			w.push(primary, "nodeexporter", store.RolePrimary, noon.Add(-time.Duration(i)*time.Second), map[string]float64{"disk.read_iops": 100, "disk.write_iops": float64(i)})
		}
	}
	h := w.server(Site{}).Handler()
	var body struct {
		From, To int64
		Step     float64
		Charts   map[string]struct {
			Lines []struct{ Lo, Hi []*float64 }
		}
	}
	ask(t, h, "GET", "/clusters/orders/orders-1/charts.json", "").json(t, &body)
	all := body.Charts["iops"].Lines[0].Hi
	if body.Step != 1 || len(all) != 301 || body.To != noon.UnixMilli() {
		t.Fatalf("step %v, %d points to %d", body.Step, len(all), body.To)
	}
	at := func(ago int) *float64 { return all[300-ago] }
	if at(75) != nil || at(60) != nil || at(91) == nil || *at(91) != 191 || at(0) == nil || at(200) != nil {
		t.Error("a gap is filled, or a value lost")
	}
	if body.Charts["iops"].Lines[0].Lo != nil {
		t.Error("seconds are sent twice")
	}
	body.Charts = nil
	ask(t, h, "GET", "/clusters/orders/orders-1/charts.json?after="+millis(noon.Add(-2*time.Second)), "").json(t, &body)
	if n := len(body.Charts["iops"].Lines[0].Hi); n != 8 {
		t.Errorf("the tail holds %d seconds, want 8: the new ones and those that may come late", n)
	}
}

func TestLongRangesComeFromTheHistory(t *testing.T) {
	w := newWorld(t)
	w.step = 30 * time.Second
	from := noon.Add(-6 * time.Hour)
	w.buckets = []store.Bucket{{AtMs: from.UnixMilli(), Min: 3, Max: 5}, {AtMs: from.Add(30 * time.Second).UnixMilli(), Gap: true}, {AtMs: from.Add(time.Hour).UnixMilli(), Min: 3, Max: 835}}
	p := w.page("/clusters/orders/orders-1?range=6h")
	if w.asked.points != chartPoints || !w.asked.from.Equal(from) || !w.asked.to.Equal(noon) {
		t.Errorf("asked for %+v", w.asked)
	}
	if !strings.Contains(p, "A point is 30 s; each keeps its lowest and highest second") || strings.Contains(p, "data-tail") {
		t.Error("the page does not say what a point is, or claims to be live")
	}
	var body chartsBody
	ask(t, w.server(Site{}).Handler(), "GET", "/clusters/orders/orders-1/charts.json?range=6h", "").json(t, &body)
	if len(body.Charts) == 0 || body.Step != 30 {
		t.Errorf("%d charts of step %v", len(body.Charts), body.Step)
	}
}

type brokenHistory struct{ *world }

func (brokenHistory) Health() store.HistoryHealth {
	return store.HistoryHealth{Message: "no space left on the disk of stallbook.db; free some.", Since: noon}
}

// A history that stopped takes neither the page nor the last minutes.
func TestInstanceStandsWithoutItsHistory(t *testing.T) {
	w := newWorld(t)
	w.minute(primary, store.RolePrimary, map[string]float64{"disk.read_iops": 100, "disk.write_iops": 20})
	w.health = brokenHistory{}.Health()
	p := w.page("/clusters/orders/orders-1")
	if !strings.Contains(p, "no space left on the disk") || !strings.Contains(p, `data-chart="iops"`) {
		t.Error("the page does not say it, or lost its charts")
	}
}

func TestInstanceSaysWhatIsNotMeasured(t *testing.T) {
	w := newWorld(t)
	p := w.page("/clusters/orders/orders-1")
	for _, want := range []string{"Not measured here", "Latency, p50, latency, p99", "add latency: to the instance or the cluster", "add node_exporter: or rds: to the instance", "primary, PostgreSQL 17.2"} {
		if !strings.Contains(p, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(p, "Replay lag") {
		t.Error("a primary is said to lack a replay lag")
	}
}

func TestWindowOf(t *testing.T) {
	for _, c := range []struct {
		query    string
		from, to time.Time
		live     bool
	}{
		{"", noon.Add(-5 * time.Minute), noon, true},
		{"?range=14d", noon.Add(-14 * 24 * time.Hour), noon, true},
		{"?range=1h&to=" + millis(noon.Add(-time.Hour)), noon.Add(-2 * time.Hour), noon.Add(-time.Hour), false},
		{"?to=" + millis(noon.Add(time.Hour)), noon.Add(-5 * time.Minute), noon, true},
		{"?at=" + millis(noon.Add(-time.Hour)), noon.Add(-time.Hour - 200*time.Second), noon.Add(-time.Hour + 100*time.Second), false},
	} {
		r, err := http.NewRequest("GET", "/x"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := windowOf(r, noon)
		if err != nil || !w.from.Equal(c.from) || !w.to.Equal(c.to) || w.live != c.live {
			t.Errorf("%s: %v to %v, live %v, %v", c.query, w.from, w.to, w.live, err)
		}
	}
	for _, q := range []string{"?range=7m", "?to=yesterday", "?at=-5"} {
		r, _ := http.NewRequest("GET", "/x"+q, nil)
		var p *store.Problem
		if _, err := windowOf(r, noon); !errors.As(err, &p) || p.Code != "invalid" {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestUnknownInstanceIsNotFound(t *testing.T) {
	h := newWorld(t).server(Site{}).Handler()
	for _, path := range []string{"/clusters/orders/orders-9", "/fragments/clusters/orders/orders-9", "/clusters/orders/orders-9/charts.json"} {
		if a := ask(t, h, "GET", path, ""); a.StatusCode != http.StatusNotFound || !strings.Contains(a.text, "orders/orders-1") && !strings.Contains(a.text, "orders/orders-2") {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}
