package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// inlined is what the content policy forbids and a browser would not obey.
var inlined = regexp.MustCompile(`<[a-z]+[^>]* style=|<script>|<script [^>]*>[^<]|<style|\son[a-z]+="`)

func (w *world) page(path string) string {
	w.t.Helper()
	a := ask(w.t, w.server(Site{}).Handler(), "GET", path, "")
	if a.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s\n%s", path, a.Status, a.text)
	}
	if bad := inlined.FindString(a.text); bad != "" {
		w.t.Errorf("%s: the policy forbids %q", path, bad)
	}
	return a.text
}

// minute pushes a reading a second for the last minute.
func (w *world) minute(ref store.Ref, role store.Role, values map[string]float64) {
	for i := 60; i >= 1; i-- {
		w.push(ref, "replay", role, w.now.Add(-time.Duration(i)*time.Second), values)
	}
}

func row(t *testing.T, page string, ref store.Ref) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `id="`+domID("row", ref)+`"`)
	if !ok {
		t.Fatalf("no row of %s", ref)
	}
	text, _, _ := strings.Cut(rest, "</tr>")
	return text
}

func TestFleetTellsTheOpenIncident(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	w.minute(standby, store.RoleStandby, map[string]float64{"disk.read_iops": 492, "disk.write_iops": 8, "disk.iops_limit": 500, "pg.replay_lag_s": 55.2})
	p := w.page("/")
	for _, want := range []string{"orders takes no writes.", "1 of 1 clauses", "Read I/Os", "limit 500 /s dashed", `href="/incidents/41"`, "/runbooks/recovery-prefetch?cluster=orders", "11:59:28"} {
		if !strings.Contains(p, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Index(p, domID("row", standby)) > strings.Index(p, domID("row", primary)) {
		t.Error("the instance in trouble does not come first")
	}
	r := row(t, p, standby)
	for _, want := range []string{"Outage", "500", "100 % of limit", "55.2", `class="ln hot"`} {
		if !strings.Contains(r, want) {
			t.Errorf("the row lacks %q", want)
		}
	}
}

func TestFleetSaysThatAllIsWell(t *testing.T) {
	w := newWorld(t)
	if p := w.page("/"); !strings.Contains(p, "<b>2 instances</b>") || !strings.Contains(p, "in 1 cluster are ok.") || !strings.Contains(p, "None, and none before that is kept.") {
		t.Error("a calm fleet is not said to be calm")
	}
	closed, ended := open(), noon.Add(-2*time.Hour)
	closed.State, closed.ClosedAt, closed.OpenedAt, closed.LastYes = store.StateClosed, &ended, ended.Add(-59*time.Second), ended
	w.list = []store.Incident{closed}
	if p := w.page("/"); !strings.Contains(p, "None. The last was on orders-2, 2 h ago, for 59 s.") {
		t.Error("the last trouble is not named")
	}
	ended = noon.Add(-10 * time.Minute)
	if p := w.page("/"); !strings.Contains(p, "/incidents/41") {
		t.Error("what ended ten minutes ago is not listed")
	}
}

// A silent instance shows its age and a dash, never its last numbers.
func TestSilentInstanceShowsNoOldNumber(t *testing.T) {
	w := newWorld(t)
	ref := store.Ref{Cluster: "billing", Instance: "billing-2"}
	w.push(ref, "postgres", store.RoleStandby, noon.Add(-42*time.Second), map[string]float64{"pg.replay_lag_s": 77})
	w.window.Push(store.Batch{Ref: ref, Source: "postgres", At: noon, Err: "connection timed out after 1 s"})
	p := w.page("/")
	r := row(t, p, ref)
	if !strings.Contains(r, "No data, 42 s") || strings.Contains(r, "77") || !strings.Contains(r, "absent") {
		t.Errorf("row: %s", r)
	}
	if !strings.Contains(p, "connection timed out after 1 s") || !strings.Contains(p, "Silent sources") {
		t.Error("why it is silent is not said")
	}
	if !strings.Contains(p, "without data") {
		t.Error("the fleet's sentence forgets it")
	}
}

func TestAbsentNumbersHaveTheirReason(t *testing.T) {
	w := newWorld(t)
	r := row(t, w.page("/"), primary)
	for _, want := range []string{"no source here gives it: add latency: to the instance or the cluster", "add node_exporter: or rds: to the instance", "a primary replays nothing", "limit not known"} {
		if !strings.Contains(r, want) {
			t.Errorf("the row lacks %q", want)
		}
	}
}

func TestManyOpenIncidentsKeepTheTableInSight(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		in := open()
		in.ID, in.Instance, in.Severity = fmt.Sprint(50+i), "orders-1", store.Degraded
		w.list = append(w.list, in)
	}
	w.list = append(w.list, open())
	f, err := w.server(Site{}).fleetView(t.Context(), noon)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Open) != 1 || f.Open[0].ID != "41" || len(f.More) != 5 {
		t.Errorf("%d told in full (%+v), %d in a line", len(f.Open), f.Open[0].ID, len(f.More))
	}
}

// The part that pages fetch each second is drawn once a second, whoever asks.
func TestFleetPartIsDrawnOnceASecond(t *testing.T) {
	var o onceASecond
	draws := 0
	draw := func(time.Time) ([]byte, error) { draws++; return []byte(fmt.Sprint(draws)), nil }
	for _, at := range []time.Time{noon, noon.Add(400 * time.Millisecond), noon.Add(999 * time.Millisecond)} {
		if b, err := o.get(at, draw); err != nil || string(b) != "1" {
			t.Fatalf("%s, %v", b, err)
		}
	}
	if b, _ := o.get(noon.Add(time.Second), draw); string(b) != "2" {
		t.Errorf("the next second shows %s", b)
	}
	failing := func(time.Time) ([]byte, error) { return nil, context.Canceled }
	if _, err := o.get(noon.Add(5*time.Second), failing); err == nil {
		t.Error("a failed drawing is not reported")
	}

	w := newWorld(t)
	part := w.page("/fragments/fleet")
	if strings.Contains(part, "<html") || !strings.Contains(part, `id="fleet"`) || !strings.Contains(part, `data-live="/fragments/fleet"`) {
		t.Error("the part is not the element that the page replaces")
	}
}

func TestRowsAreSortedByTroubleThenName(t *testing.T) {
	mk := func(name, state string) glance {
		return glance{ref: store.Ref{Cluster: name[:1], Instance: name}, state: InstanceState{Word: state}}
	}
	list := []glance{mk("a-1", StateOK), mk("b-1", StateHydrating), mk("c-1", StateNoData), mk("d-1", "degraded"), mk("e-2", "stall"), mk("e-1", "stall"), mk("f-1", "outage"), mk("g-1", "risk")}
	byTrouble(list)
	var got []string
	for _, g := range list {
		got = append(got, g.ref.Instance)
	}
	if s := strings.Join(got, " "); s != "f-1 e-1 e-2 c-1 d-1 g-1 b-1 a-1" {
		t.Errorf("order: %s", s)
	}
}

func TestWaitsNameTheStandby(t *testing.T) {
	g := glance{values: map[store.SignalID]reading{sigWaitWAL: {v: 1, ok: true}, sigWaitRep: {v: 4, ok: true}}}
	if q := g.waits(); q.Num != "4" || q.Unit != "sync" || !q.Loud {
		t.Errorf("waits: %+v", q)
	}
	g.values[sigWaitRep] = reading{v: 0, ok: true}
	if q := g.waits(); q.Num != "1" || q.Unit != "" || q.Loud {
		t.Errorf("waits: %+v", q)
	}
	g.values = map[store.SignalID]reading{sigWaitWAL: {why: "not read"}}
	if q := g.waits(); q != (views.Qty{Why: "not read"}) {
		t.Errorf("waits: %+v", q)
	}
}

func TestEmptyFleetSaysWhatToDo(t *testing.T) {
	w := newWorld(t)
	w.window.Remove(primary)
	w.window.Remove(standby)
	if p := w.page("/"); !strings.Contains(p, "Add one under clusters: in the configuration.") {
		t.Error("an empty fleet says nothing")
	}
}

// go test -bench FleetPart ./server/web: what 300 instances cost each second,
// for all readers together.
func BenchmarkFleetPart(b *testing.B) {
	w := newWorld(b)
	for i := range 300 {
		ref := store.Ref{Cluster: fmt.Sprintf("c%d", i/3), Instance: fmt.Sprintf("c%d-%d", i/3, i%3)}
		w.minute(ref, store.RolePrimary, map[string]float64{"disk.read_iops": 492, "disk.write_iops": 8, "disk.iops_limit": 500, "latency.p50_ms": 4})
	}
	s := w.server(Site{})
	for b.Loop() {
		v, err := s.fleetView(b.Context(), noon)
		if err != nil {
			b.Fatal(err)
		}
		if err := views.FleetPage(v).Render(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
