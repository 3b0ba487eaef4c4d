package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"stallbook/store"
)

func TestClusters(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	w.window.Push(store.Batch{Ref: standby, Source: "nodeexporter", At: noon.Add(-2 * time.Second), Err: "connection refused"})
	var body clustersBody
	ask(t, w.server(Site{}).Handler(), "GET", "/api/v1/clusters", "").json(t, &body)
	if len(body.Clusters) != 1 || len(body.Clusters[0].Instances) != 2 {
		t.Fatalf("%+v", body)
	}
	one, two := body.Clusters[0].Instances[0], body.Clusters[0].Instances[1]
	if one.Name != "orders-1" || one.Role != "primary" || one.State != "ok" || one.Version != "17.2" || *one.Sources[0].AgeS != 1 {
		t.Errorf("primary: %+v", one)
	}
	if two.State != "outage" || two.Incident != "41" {
		t.Errorf("standby: %+v", two)
	}
	if src := two.Sources[0]; src.Source != "nodeexporter" || src.OK || src.AgeS != nil || src.Message != "connection refused" {
		t.Errorf("a source that never answered: %+v", src)
	}
}

func TestSeriesHasNullsInGaps(t *testing.T) {
	w := newWorld(t)
	w.buckets = []store.Bucket{{AtMs: 1000, Min: 1, Max: 3}, {AtMs: 2000, Gap: true}, {AtMs: 3000, Min: 0, Max: 0}}
	h := w.server(Site{}).Handler()
	a := ask(t, h, "GET", "/api/v1/clusters/orders/orders-1/series?signal=disk.read_iops&from=2026-12-01T11:59:00Z&to=1796126400000", "")
	want := `{"signal":"disk.read_iops","unit":"/s","step_s":1,"points":[[1000,1,3],[2000,null,null],[3000,0,0]]}`
	if strings.TrimSpace(a.text) != want {
		t.Errorf("got  %s\nwant %s", a.text, want)
	}
	if w.asked.points != 0 || w.asked.to.Sub(w.asked.from) != time.Minute || w.asked.ref != primary {
		t.Errorf("asked the history for %+v", w.asked)
	}
	if a := ask(t, h, "GET", "/api/v1/clusters/orders/orders-1/series?signal=disk.iops&from=0", ""); a.StatusCode != 200 || w.asked.points == 0 {
		t.Errorf("56 years are asked for by the second: %+v", w.asked)
	}
}

func TestBadInputIsNamed(t *testing.T) {
	w := newWorld(t)
	h := w.server(Site{}).Handler()
	series := "/api/v1/clusters/orders/orders-1/series"
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{series, 400, "there is no signal"},
		{series + "?signal=disk.read_iop", 400, "disk.read_iops"},
		{series + "?signal=disk.iops&from=yesterday", 400, "from:"},
		{series + "?signal=disk.iops&from=2026-12-01T13:00:00Z", 400, "earlier"},
		{series + "?signal=disk.iops&points=-1", 400, "points:"},
		{series + "?signal=disk.iops&to=99999999999999999999", 400, "to:"},
		{"/api/v1/clusters/orders/orders-9/series?signal=disk.iops", 404, "orders/orders-1"},
		{"/api/v1/clusters/orders/orders-1/diagnosis?at=x", 400, "at:"},
		{"/api/v1/clusters/orders/orders-1/diagnosis?at=2027-01-01T00:00:00Z", 400, "not come yet"},
		{"/api/v1/incidents?state=ajar", 400, "state:"},
		{"/api/v1/incidents?limit=0", 400, "limit:"},
		{"/api/v1/incidents/7", 404, "no incident 7"},
		{"/api/v1/runs/7", 404, "no run 7"},
		{"/api/v1/runbooks/wal-pool-stal", 404, "wal-pool-stall"},
	} {
		a := ask(t, h, "GET", c.path, "")
		if a.StatusCode != c.status || !strings.Contains(a.text, c.says) {
			t.Errorf("%s: %d %s", c.path, a.StatusCode, a.text)
			continue
		}
		a.errorCode(t)
	}
}

func TestDiagnosisNowAndThen(t *testing.T) {
	w := newWorld(t)
	w.judged[standby] = []store.Diagnosis{{Runbook: "recovery-prefetch", Verdict: store.Matched, Clauses: open().Evidence}}
	w.past[standby] = []store.Diagnosis{{Runbook: "recovery-prefetch", Verdict: store.NoMatch}}
	h := w.server(Site{}).Handler()
	var body struct {
		At         time.Time
		Signatures []struct {
			Runbook, Verdict string
			Clauses          []map[string]any
		}
	}
	ask(t, h, "GET", "/api/v1/clusters/orders/orders-2/diagnosis", "").json(t, &body)
	c := body.Signatures[0].Clauses
	if !body.At.Equal(noon) || body.Signatures[0].Verdict != "matched" || len(c) != 2 {
		t.Fatalf("%+v", body)
	}
	if c[0]["id"] != "reads-at-limit" || c[0]["observed"] != 492.0 || c[0]["verdict"] != "yes" || c[0]["unit"] != "/s" {
		t.Errorf("%v", c[0])
	}
	if v, there := c[1]["observed"]; !there || v != nil || c[1]["verdict"] != "unknown" {
		t.Errorf("unknown is not null: %v", c[1])
	}
	ask(t, h, "GET", "/api/v1/clusters/orders/orders-2/diagnosis?at=1796126340000", "").json(t, &body)
	if body.Signatures[0].Verdict != "no" || body.Signatures[0].Clauses == nil {
		t.Errorf("the past: %+v", body.Signatures[0])
	}
}

func TestIncidents(t *testing.T) {
	w := newWorld(t)
	closed := open()
	end := noon.Add(-time.Hour)
	closed.ID, closed.State, closed.ClosedAt, closed.OpenedAt, closed.LastYes = "40", store.StateClosed, &end, end.Add(-time.Minute), end
	clearing := open()
	clearing.ID, clearing.State = "42", store.StateClearing
	clearing.Evidence, clearing.Timeline = nil, nil
	w.list = []store.Incident{closed, open(), clearing}
	h := w.server(Site{}).Handler()
	ids := func(path string) (out []string) {
		var body struct{ Incidents []store.Incident }
		ask(t, h, "GET", path, "").json(t, &body)
		for _, in := range body.Incidents {
			out = append(out, in.ID)
		}
		return out
	}
	if got := ids("/api/v1/incidents?state=open"); !slices.Equal(got, []string{"41", "42"}) {
		t.Errorf("open: %v", got)
	}
	if got := ids("/api/v1/incidents"); len(got) != 3 || got[2] != "40" {
		t.Errorf("all, newest first: %v", got)
	}
	if got := ids("/api/v1/incidents?state=closed&cluster=billing"); got != nil {
		t.Errorf("another cluster's: %v", got)
	}
	one := ask(t, h, "GET", "/api/v1/incidents/42", "").text
	for _, want := range []string{`"id":"42"`, `"closed_at":null`, `"opened_at":"2026-12-01T11:59:28Z"`, `"evidence":[]`, `"timeline":[]`} {
		if !strings.Contains(one, want) {
			t.Errorf("%s is missing in %s", want, one)
		}
	}
}

func TestRuns(t *testing.T) {
	w := newWorld(t)
	h := w.server(Site{}).Handler()
	check, fix := stepOf(t, w, "recovery-prefetch", "check"), stepOf(t, w, "recovery-prefetch", "fix")
	post := func(body string) answer {
		return ask(t, h, "POST", "/api/v1/runs", body, "Content-Type", "application/json")
	}
	a := post(`{"runbook":"recovery-prefetch","step":"` + check + `","cluster":"orders","instance":"orders-2","incident":"41"}`)
	var run store.StepRun
	a.json(t, &run)
	if a.StatusCode != http.StatusCreated || run.Incident != "41" || run.Result != store.Pass || run.Rows == nil {
		t.Fatalf("%d %s", a.StatusCode, a.text)
	}
	var again store.StepRun
	ask(t, h, "GET", a.Header.Get("Location"), "").json(t, &again)
	if again.ID != run.ID {
		t.Errorf("the run at %s is %q", a.Header.Get("Location"), again.ID)
	}
	for _, c := range []struct {
		body   string
		status int
		says   string
	}{
		{`{"runbook":"recovery-prefetch","step":"` + fix + `","cluster":"orders","instance":"orders-2"}`, 403, "does not run them"},
		{`{"runbook":"recovery-prefetch","step":"` + check + `x","cluster":"orders","instance":"orders-2"}`, 404, "Did you mean"},
		{`{"runbook":"nope","step":"x","cluster":"orders","instance":"orders-2"}`, 404, "no runbook"},
		{`{"runbook":"recovery-prefetch","step":"x","cluster":"orders","instance":"orders-7"}`, 404, "No instance"},
		{`{"runbok":"x"}`, 400, "one JSON object"},
		{`{} {}`, 400, "one JSON object"},
		{`[`, 400, "one JSON object"},
		{`{"runbook":"` + strings.Repeat("x", bodyLimit) + `"}`, 400, "one JSON object"},
	} {
		if a := post(c.body); a.StatusCode != c.status || !strings.Contains(a.text, c.says) {
			t.Errorf("%.60s: %d %s", c.body, a.StatusCode, a.text)
		}
	}
	w.runErr = &store.Problem{Code: "unavailable", Message: "orders-2 does not answer."}
	if a := post(`{"runbook":"recovery-prefetch","step":"` + check + `","cluster":"orders","instance":"orders-2"}`); a.StatusCode != 503 || a.errorCode(t) != "unavailable" {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
}

func TestRunbooksAPI(t *testing.T) {
	w := newWorld(t)
	h := w.server(Site{}).Handler()
	var list runbooksBody
	ask(t, h, "GET", "/api/v1/runbooks", "").json(t, &list)
	if len(list.Runbooks) != len(w.library.List()) {
		t.Errorf("%d of %d runbooks", len(list.Runbooks), len(w.library.List()))
	}
	var one runbookBody
	ask(t, h, "GET", "/api/v1/runbooks/autovacuum-stall", "").json(t, &one)
	if one.Slug != "autovacuum-stall" || !one.Builtin || one.Severity != store.Stall || len(one.Steps) == 0 || one.Steps[0].ID == "" {
		t.Errorf("%+v", one)
	}
}

func TestReadiness(t *testing.T) {
	w := newWorld(t)
	h := w.server(Site{}).Handler()
	if a := ask(t, h, "GET", "/readyz", ""); a.StatusCode != 200 {
		t.Errorf("everything is there: %d %s", a.StatusCode, a.text)
	}
	w.window.Declare(store.Ref{Cluster: "billing", Instance: "billing-1"}, "postgres", time.Second)
	w.health = store.HistoryHealth{Message: "the disk is full"}
	a := ask(t, h, "GET", "/readyz", "")
	if a.StatusCode != 503 || !strings.Contains(a.text, "billing/billing-1 from postgres") || !strings.Contains(a.text, "the disk is full") {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := ask(t, h, "GET", "/healthz", ""); a.StatusCode != 200 {
		t.Errorf("alive: %d", a.StatusCode)
	}
}

func TestMetricsParse(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	w.health.Dropped = 7
	w.window.Declare(store.Ref{Cluster: "b\"ad\n", Instance: "x"}, "postgres", time.Second)
	a := ask(t, w.server(Site{Version: "1.2.3"}).Handler(), "GET", "/metrics", "")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	if got := families["stallbook_incidents_open"].GetMetric()[0].GetGauge().GetValue(); got != 1 {
		t.Errorf("open incidents: %v", got)
	}
	if got := families["stallbook_history_dropped_batches_total"].GetMetric()[0].GetCounter().GetValue(); got != 7 {
		t.Errorf("dropped: %v", got)
	}
	if got := len(families["stallbook_source_age_seconds"].GetMetric()); got != 2 {
		t.Errorf("%d ages, want 2: a source that never answered has none", got)
	}
	if !strings.Contains(a.text, `version="1.2.3"`) {
		t.Error("the version is missing")
	}
}
