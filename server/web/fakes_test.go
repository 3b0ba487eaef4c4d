package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stallbook/runbooks"
	"stallbook/server/live"
	"stallbook/store"
)

// noon is the present of every test here.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

var (
	primary = store.Ref{Cluster: "orders", Instance: "orders-1"}
	standby = store.Ref{Cluster: "orders", Instance: "orders-2"}
)

// world is everything the pages read, set up by hand.
type world struct {
	kept    []store.Batch
	t       testing.TB
	now     time.Time
	window  *store.Window
	judged  map[store.Ref][]store.Diagnosis
	past    map[store.Ref][]store.Diagnosis
	list    []store.Incident
	buckets []store.Bucket
	step    time.Duration
	asked   rangeCall
	events  map[store.Ref][]store.Event
	health  store.HistoryHealth
	library *runbooks.Library
	hub     *live.Hub
	runErr  error

	mu   sync.Mutex
	runs []store.StepRun
}

type rangeCall struct {
	ref           store.Ref
	signal, label string
	from, to      time.Time
	points        int
}

func newWorld(t testing.TB) *world {
	lib, err := runbooks.Load(runbooks.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, now: noon, window: store.NewWindow(nil), judged: map[store.Ref][]store.Diagnosis{}, past: map[store.Ref][]store.Diagnosis{},
		events: map[store.Ref][]store.Event{}, health: store.HistoryHealth{OK: true, Bytes: 4096}, library: lib, hub: live.NewHub(), step: time.Second}
	w.push(primary, "postgres", store.RolePrimary, noon.Add(-time.Second), map[string]float64{"pg.active": 4})
	w.push(standby, "postgres", store.RoleStandby, noon.Add(-time.Second), map[string]float64{"pg.active": 0})
	return w
}

// push is one reading of one source.
func (w *world) push(ref store.Ref, source string, role store.Role, at time.Time, values map[string]float64) {
	b := store.Batch{Ref: ref, Source: source, At: at, Elapsed: time.Second, Role: role, Facts: map[string]string{"pg.version": "17.2"}}
	for name, v := range values {
		b.Samples = append(b.Samples, store.SampleOf(store.MustLookup(name), "", v, time.Second))
	}
	w.window.Push(b)
}

func (w *world) server(site Site) *Server {
	w.t.Helper()
	s, err := New(Deps{Window: w.window, Matcher: w, Incidents: w, History: w, Library: func() *runbooks.Library { return w.library },
		Runner: w.runner(), Hub: w.hub, Now: func() time.Time { return w.now }, Site: site})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) Diagnoses(ref store.Ref) (time.Time, []store.Diagnosis) { return w.now, w.judged[ref] }

func (w *world) DiagnosesAt(_ context.Context, ref store.Ref, _ time.Time) ([]store.Diagnosis, error) {
	return w.past[ref], nil
}

func (w *world) Incidents(_ context.Context, f store.IncidentFilter) ([]store.Incident, error) {
	var out []store.Incident
	for _, in := range w.list {
		if f.State == store.StateOpen && !in.Ongoing() || f.State == store.StateClosed && in.Ongoing() ||
			f.Cluster != "" && f.Cluster != in.Cluster || f.Runbook != "" && f.Runbook != in.Runbook || f.Instance != "" && f.Instance != in.Instance {
			continue
		}
		out = append(out, in)
	}
	slices.SortStableFunc(out, func(a, b store.Incident) int { return b.OpenedAt.Compare(a.OpenedAt) })
	return out, nil
}

func (w *world) Incident(_ context.Context, id string) (store.Incident, error) {
	for _, in := range w.list {
		if in.ID == id {
			return in, nil
		}
	}
	return store.Incident{}, store.ErrNotFound
}

func (w *world) Range(_ context.Context, ref store.Ref, signal, label string, from, to time.Time, points int) (time.Duration, []store.Bucket, error) {
	w.asked = rangeCall{ref, signal, label, from, to, points}
	return w.step, w.buckets, nil
}

func (w *world) Events(_ context.Context, ref store.Ref, from, to time.Time) ([]store.Event, error) {
	var out []store.Event
	for _, e := range w.events[ref] {
		if !e.At.Before(from) && !e.At.After(to) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (w *world) Runs(_ context.Context, incident string, ref store.Ref, _ int) ([]store.StepRun, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []store.StepRun
	for _, r := range w.runs {
		if (incident == "" || r.Incident == incident) && (ref == store.Ref{} || ref == store.Ref{Cluster: r.Cluster, Instance: r.Instance}) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (w *world) Run(_ context.Context, id string) (store.StepRun, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.ID == id {
			return r, nil
		}
	}
	return store.StepRun{}, store.ErrNotFound
}

func (w *world) Health() store.HistoryHealth { return w.health }

func (w *world) Recent(_ context.Context, from, to time.Time, cluster string) ([]store.Batch, error) {
	var out []store.Batch
	for _, b := range w.kept {
		if !b.At.Before(from) && !b.At.After(to) && (cluster == "" || b.Cluster == cluster) {
			out = append(out, b)
		}
	}
	return out, nil
}

type fakeRunner struct{ w *world }

func (w *world) runner() Runner { return fakeRunner{w} }

// Run keeps what it was asked for; it stands in for a Postgres.
func (f fakeRunner) Run(_ context.Context, q RunRequest) (store.StepRun, error) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	if f.w.runErr != nil {
		return store.StepRun{}, f.w.runErr
	}
	run := store.StepRun{ID: "r" + string(rune('1'+len(f.w.runs))), Runbook: q.Runbook, Step: q.Step, Cluster: q.Ref.Cluster, Instance: q.Ref.Instance,
		Incident: q.Incident, Who: q.Who, At: f.w.now, Took: 4 * time.Millisecond, Result: store.Pass, Says: "It did, 1 s before."}
	f.w.runs = append(f.w.runs, run)
	return run, nil
}

// open is an incident on the standby that the library knows the page of.
func open() store.Incident {
	v, thr, usual := 492.0, 475.0, 12.0
	at := noon.Add(-20 * time.Second)
	return store.Incident{
		ID: "41", Cluster: "orders", Instance: "orders-2", Runbook: "recovery-prefetch", Severity: store.Outage, State: store.StateOpen,
		OpenedAt: noon.Add(-32 * time.Second), LearntAt: noon.Add(-31 * time.Second), WorstAt: at, LastYes: noon,
		Summary: "orders takes no writes.",
		Evidence: []store.Evidence{
			{Clause: "reads-at-limit", Group: store.GroupAll, Says: "orders-2 reads at its limit", Signal: "disk.read_iops", Instance: "orders-2",
				Observed: &v, Compare: "≥", Threshold: &thr, Usual: &usual, Unit: "/s", WindowS: 30, Stat: "min", Verdict: store.Yes, At: &at},
			{Clause: "initializing", Group: store.GroupNone, Says: "The volume is still loading", Signal: "rds.storage_initializing", Instance: "orders-2",
				Compare: "≥", Threshold: ptr(1.0), Verdict: store.Unknown, Why: "no rds source"},
		},
		Timeline: []store.Event{{At: noon.Add(-32 * time.Second), Kind: "incident", Text: "Stall opened"}},
	}
}

func ptr(v float64) *float64 { return &v }

type answer struct {
	*http.Response
	text string
}

// ask sends a request with a loopback Host.
func ask(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	res := rec.Result()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, string(b)}
}

func (a answer) json(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.text), into); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, a.text)
	}
}

// errorCode is the code of an error in the API's shape, with its message there.
func (a answer) errorCode(t testing.TB) string {
	t.Helper()
	var e errorBody
	a.json(t, &e)
	if e.Error.Message == "" {
		t.Errorf("the error has no message: %s", a.text)
	}
	return e.Error.Code
}
