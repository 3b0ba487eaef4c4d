package web

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
)

// odd are names of tables that PostgreSQL takes and pages stumble over.
var odd = []string{
	`public.Table`, `My Schema.a.b.c`, `public.say "hi" '; DROP TABLE x; --`, `public.таблица_日志_🔥`,
	`public.%s${IFS}{{.}}<script>alert(1)</script>`, "public.line\nbreak", `public.` + strings.Repeat("a", 63),
}

func TestOddTableNamesAreShownAndNeverRun(t *testing.T) {
	for _, name := range odd {
		w := newWorld(t)
		e := store.Evidence{Clause: "vacuum-pass", Group: store.GroupAll, Signal: "pg.vacuum.passes", Label: name, Instance: "orders-1",
			Says: "A pass ended on " + name, Observed: ptr(1), Compare: "≥", Threshold: ptr(1), Verdict: store.Yes}
		w.judged[primary] = []store.Diagnosis{{Runbook: "autovacuum-stall", Verdict: store.Matched, Summary: "Autovacuum on " + name + " stalls.", Clauses: []store.Evidence{e}, Hold: 1, Needed: 1}}
		in := open()
		in.Instance, in.Runbook, in.Evidence, in.Summary = "orders-1", "autovacuum-stall", []store.Evidence{e}, "Autovacuum on "+name+" stalls."
		w.list = []store.Incident{in}
		h := w.server(Site{}).Handler()
		for _, path := range []string{"/runbooks/autovacuum-stall?cluster=orders&instance=orders-1", "/diagnosis?cluster=orders&instance=orders-1", "/incidents/41", "/incidents"} {
			a := ask(t, h, "GET", path, "")
			if a.StatusCode != 200 || strings.Contains(a.text, "<script>alert") {
				t.Errorf("%s with %q: %d", path, name, a.StatusCode)
			}
			if strings.Contains(name, "🔥") && !strings.Contains(a.text, "таблица_日志_🔥") {
				t.Errorf("%s does not show %q", path, name)
			}
		}
	}
}

func TestRunbookPageFillsInTheTable(t *testing.T) {
	w := newWorld(t)
	e := store.Evidence{Clause: "vacuum-pass", Group: store.GroupAll, Signal: "pg.vacuum.passes", Label: `public.say "hi"`, Verdict: store.Yes}
	w.judged[primary] = []store.Diagnosis{{Runbook: "autovacuum-stall", Verdict: store.Matched, Clauses: []store.Evidence{e}}}
	s := w.server(Site{})
	book, _ := w.library.Get("autovacuum-stall")
	v := bookView{book: book, ref: primary, own: &w.judged[primary][0], targets: s.targets(primary)}
	vars := s.vars(v)
	if vars["schema"] != "public" || vars["table"] != `say "hi"` || vars["primary"] != "orders-1" || vars["standby"] != "orders-2" {
		t.Errorf("%v", vars)
	}
	_, fixes, _ := s.steps(v)
	if len(fixes) == 0 {
		t.Fatal("no fix")
	}
	for _, f := range fixes {
		if f.Run != nil || f.RunNote == "" {
			t.Errorf("fix %s has a button", f.ID)
		}
		if strings.Contains(f.SQL, "{{") {
			t.Errorf("fix %s is not filled in: %s", f.ID, f.SQL)
		}
	}
}

func TestRunbookPageForAnInstance(t *testing.T) {
	w := newWorld(t)
	d := store.Diagnosis{Runbook: "recovery-prefetch", Verdict: store.Matched, Severity: store.Outage, Summary: "orders takes no writes.", Clauses: open().Evidence, Hold: 1, Needed: 1}
	d.Clauses[0].Default = ptr(450)
	w.judged[standby] = []store.Diagnosis{d, {Runbook: "sync-standby-lost", Verdict: store.NoMatch}}
	h := w.server(Site{}).Handler()
	page := ask(t, h, "GET", "/runbooks/recovery-prefetch?cluster=orders&instance=orders-2", "").text
	for _, want := range []string{"<h1>orders takes no writes.</h1>", "≥ 475 /s", "library 450 /s", "492", "Run on orders-2", "not here", "shown, not run by this build", `data-live="/runbooks/recovery-prefetch?`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	bare := ask(t, h, "GET", "/runbooks/recovery-prefetch", "").text
	if strings.Contains(bare, "Run on") || !strings.Contains(bare, "For which instance?") || !strings.Contains(bare, "cluster=orders&amp;instance=orders-1") {
		t.Error("without an instance the page does not ask for one")
	}
	w.list, w.now = []store.Incident{open()}, noon.Add(time.Second)
	if page := ask(t, h, "GET", "/runbooks/recovery-prefetch?cluster=orders&instance=orders-2", "").text; !strings.Contains(page, ">Incident 41</a>") {
		t.Error("the open incident of this page is not linked")
	}
	part := ask(t, h, "GET", "/runbooks/recovery-prefetch?cluster=orders&instance=orders-2&part=1", "").text
	if strings.Contains(part, "<html") || !strings.Contains(part, `id="is"`) || !strings.Contains(part, `id="rb-verdict"`) {
		t.Error("the part is not what the page asks for")
	}
	if a := ask(t, h, "GET", "/runbooks/recovery-prefetch?cluster=orders&instance=orders-3", ""); a.StatusCode != 404 {
		t.Errorf("an unknown instance: %d", a.StatusCode)
	}
}

// A page opened from an incident that is over shows what was measured then, not
// the calm of today.
func TestRunbookPageOfAClosedIncidentShowsItsEvidence(t *testing.T) {
	w := newWorld(t)
	in := open()
	end := noon.Add(-time.Second)
	in.State, in.ClosedAt = store.StateClosed, &end
	w.list = []store.Incident{in}
	w.judged[standby] = []store.Diagnosis{{Runbook: "recovery-prefetch", Verdict: store.NoMatch, Needed: 4}}
	page := ask(t, w.server(Site{}).Handler(), "GET", "/runbooks/recovery-prefetch?incident=41", "").text
	for _, want := range []string{"orders takes no writes.", "492", "1 of 1 hold", "at its worst, 2026-12-01 11:59:40"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "part=1") {
		t.Error("a page of the past is drawn anew with each tick")
	}
}

func TestTheButtonRunsACheckWithoutScripts(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	h := w.server(Site{}).Handler()
	id := stepOf(t, w, "recovery-prefetch", runbooks.Check)
	form := url.Values{"cluster": {"orders"}, "instance": {"orders-2"}, "incident": {"41"}}
	post := func(step string) answer {
		return ask(t, h, "POST", "/runbooks/recovery-prefetch/steps/"+step+"/run", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	}
	a := post(id)
	if a.StatusCode != 303 || a.Header.Get("Location") != "/runbooks/recovery-prefetch?cluster=orders&incident=41&instance=orders-2#step-"+id {
		t.Fatalf("%d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	back, _, _ := strings.Cut(a.Header.Get("Location"), "#")
	page := ask(t, h, "GET", back, "").text
	for _, want := range []string{"It did, 1 s before.", "local user", "4 ms", "Run again on orders-2"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "older than a minute") {
		t.Error("a fresh result is shown as old")
	}
	w.now = noon.Add(61 * time.Second)
	if page := ask(t, h, "GET", back, "").text; !strings.Contains(page, "older than a minute") {
		t.Error("a result of 61 s ago is not shown as old")
	}
	if other := ask(t, h, "GET", "/runbooks/recovery-prefetch?cluster=orders&instance=orders-1", "").text; strings.Contains(other, "It did, 1 s before.") {
		t.Error("a run for the standby is shown on the primary's page")
	}
	form.Set("from", "incident")
	if a := post(id); a.Header.Get("Location") != "/incidents/41#step-"+id {
		t.Errorf("from the incident it leads to %s", a.Header.Get("Location"))
	}
	if a := post(stepOf(t, w, "recovery-prefetch", runbooks.Fix)); a.StatusCode != 403 || !strings.Contains(a.text, "does not run them") {
		t.Errorf("a fix: %d", a.StatusCode)
	}
}

func TestIncidentPage(t *testing.T) {
	w := newWorld(t)
	in := open()
	in.Opening = []store.Evidence{{Clause: "reads-at-limit", Observed: ptr(480), Unit: "/s", Verdict: store.Yes}}
	in.Runners = []store.RunnerUp{{Runbook: "sync-standby-lost", Instance: "orders-1", Since: noon.Add(-10 * time.Second)}}
	w.list = []store.Incident{in}
	w.events[primary] = []store.Event{{At: noon.Add(-40 * time.Second), Kind: "setting", Text: "fsync changed"}}
	w.runs = []store.StepRun{{ID: "r1", Runbook: "recovery-prefetch", Step: "x", Cluster: "orders", Instance: "orders-2", Incident: "41", At: noon, Who: "maria", Result: store.Fail, Says: "Not so."}}
	h := w.server(Site{}).Handler()
	page := ask(t, h, "GET", "/incidents/41", "").text
	for _, want := range []string{"<h1>orders takes no writes.</h1>", "Writes stopped for", "at opening 480 /s", "Runner-up", "fsync changed", "Not so.", "maria", "Next step",
		"1 yes, 0 no, 1 unknown", "no rds source"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Index(page, "Not so.") > strings.Index(page, "fsync changed") {
		t.Error("the timeline is not newest first")
	}
	if !strings.Contains(page, `href="/runbooks/recovery-prefetch?cluster=orders&amp;incident=41&amp;instance=orders-2"`) {
		t.Error("the runbook is not linked with its query")
	}
	w.list[0].Cluster = "gone"
	if a := ask(t, h, "GET", "/incidents/41", ""); a.StatusCode != 200 || !strings.Contains(a.text, "no longer watched") {
		t.Errorf("an incident of an instance that is gone: %d", a.StatusCode)
	}
	w.list[0].Runbook = "gone"
	if a := ask(t, h, "GET", "/incidents/41", ""); a.StatusCode != 200 || !strings.Contains(a.text, "no longer in the library") {
		t.Errorf("an incident of a runbook that is gone: %d", a.StatusCode)
	}
}

func TestIncidentListByDayAndFilter(t *testing.T) {
	w := newWorld(t)
	for i, ago := range []time.Duration{time.Hour, 2 * time.Hour, 30 * time.Hour} {
		in := open()
		end := noon.Add(-ago)
		in.ID, in.State, in.ClosedAt, in.LastYes, in.OpenedAt = string(rune('a'+i)), store.StateClosed, &end, end, end.Add(-time.Minute)
		w.list = append(w.list, in)
	}
	h := w.server(Site{}).Handler()
	page := ask(t, h, "GET", "/incidents", "").text
	for _, want := range []string{"No incident is open.", "Tuesday, 1 December 2026", "2 incidents, 2 min 00 s in all", "Monday, 30 November 2026", `<option value="orders">`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	none := ask(t, h, "GET", "/incidents?cluster=gone", "").text
	if !strings.Contains(none, "None fits this filter.") || !strings.Contains(none, `<option value="gone" selected>`) {
		t.Error("an empty filter result does not say so")
	}
}

func TestDiagnosisPage(t *testing.T) {
	w := newWorld(t)
	w.judged[standby] = []store.Diagnosis{
		{Runbook: "recovery-prefetch", Verdict: store.Matched, Hold: 1, Needed: 1, Clauses: open().Evidence},
		{Runbook: "storage-hydration", Verdict: store.Possible, Missing: "Nobody asked the cloud.", Needed: 1, Distance: 0.5},
	}
	h := w.server(Site{}).Handler()
	page := ask(t, h, "GET", "/diagnosis?cluster=orders&instance=orders-2", "").text
	for _, want := range []string{"One of 2 signatures matches orders-2", "One can&#39;t be ruled out", "Nobody asked the cloud.", "10 s earlier", `id="sig-recovery-prefetch"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	past := ask(t, h, "GET", "/diagnosis?cluster=orders&instance=orders-2&at=2026-12-01T11:00:00Z", "").text
	if !strings.Contains(past, "from the history") || !strings.Contains(past, "10 s later") || !strings.Contains(past, "No judgement of orders-2 yet.") {
		t.Error("the past is not shown as such")
	}
	if ask := ask(t, h, "GET", "/diagnosis", "").text; !strings.Contains(ask, "Which instance?") || !strings.Contains(ask, "matches.") {
		t.Error("without an instance nothing is offered")
	}
}
