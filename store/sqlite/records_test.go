package sqlite

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"stallbook/store"
)

func TestIncidentsAreKeptWhole(t *testing.T) {
	db, c := openNew(t, day)
	v, closed := 12.5, day.Add(time.Minute)
	want := store.Incident{ID: "1", Cluster: "orders", Instance: "orders-1", Runbook: "sync-standby-lost", Severity: store.Outage,
		State: store.StateClosed, OpenedAt: day, LearntAt: day, WorstAt: day, LastYes: day, ClosedAt: &closed, Summary: "s",
		Evidence: []store.Evidence{{Clause: "a", Observed: &v, Verdict: store.Yes}},
		Timeline: []store.Event{{At: day, Kind: "incident", Text: "opened"}}}
	if id := db.NextIncidentID(); id != "1" {
		t.Fatalf("the first id is %s", id)
	}
	open := want
	open.State, open.ClosedAt = store.StateOpen, nil
	for _, in := range []store.Incident{open, want, {ID: "2", Cluster: "billing", State: store.StateClearing, OpenedAt: day.Add(time.Hour)}} {
		if err := db.SaveIncident(in); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, db.path, c, store.Retention{})
	defer db.Close()
	got, err := db.Incident(t.Context(), "1")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := db.Incident(t.Context(), "404"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an incident that is not there: %v", err)
	}
	if id := db.NextIncidentID(); id != "3" {
		t.Errorf("the next id is %s", id)
	}
	for _, q := range []struct {
		f    store.IncidentFilter
		want []string
	}{
		{store.IncidentFilter{}, []string{"2", "1"}},
		{store.IncidentFilter{Limit: 1}, []string{"2"}},
		{store.IncidentFilter{State: store.StateOpen}, []string{"2"}},
		{store.IncidentFilter{State: store.StateClosed}, []string{"1"}},
		{store.IncidentFilter{Cluster: "orders", Instance: "orders-1", Runbook: "sync-standby-lost"}, []string{"1"}},
		{store.IncidentFilter{From: day.Add(time.Minute)}, []string{"2"}},
		{store.IncidentFilter{To: day}, []string{"1"}},
		{store.IncidentFilter{Runbook: "none"}, nil},
	} {
		list, err := db.Incidents(t.Context(), q.f)
		var ids []string
		for _, in := range list {
			ids = append(ids, in.ID)
			if !matches(q.f, in) {
				t.Errorf("%+v: the file returns %s, memory would not", q.f, in.ID)
			}
		}
		if err != nil || !reflect.DeepEqual(ids, q.want) {
			t.Errorf("%+v: %v, %v; want %v", q.f, ids, err, q.want)
		}
	}
}

func TestRunsAndEvents(t *testing.T) {
	db, _ := openNew(t, day)
	for i, id := range []string{"a", "b", "c"} {
		run := store.StepRun{ID: id, Incident: "1", Cluster: "orders", Instance: "orders-1", At: at(i), Rows: [][]string{{"x"}}}
		if id == "c" {
			run.Incident, run.Instance = "", "orders-2"
		}
		if err := db.SaveRun(run); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := db.Run(t.Context(), "a"); err != nil || r.Rows[0][0] != "x" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := db.Run(t.Context(), "z"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a run that is not there: %v", err)
	}
	for _, q := range []struct {
		incident string
		ref      store.Ref
		limit    int
		want     string
	}{{"1", store.Ref{}, 0, "ba"}, {"", store.Ref{Cluster: "orders"}, 0, "cba"}, {"", ref, 1, "b"}, {"9", store.Ref{}, 0, ""}} {
		list, err := db.Runs(t.Context(), q.incident, q.ref, q.limit)
		got := ""
		for _, r := range list {
			got += r.ID
		}
		if err != nil || got != q.want {
			t.Errorf("%+v: %q, %v", q, got, err)
		}
	}
	b := batch("postgres", at(5), time.Second)
	b.Events = []store.Event{{Kind: "reset", Text: "statistics were reset"}}
	db.Append(b)
	flush(t, db)
	if err := db.AddEvent(store.Event{At: at(3), Ref: ref, Kind: "incident", Text: "opened", Incident: "1"}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Events(t.Context(), ref, at(0), at(5))
	if err != nil || len(got) != 2 || got[0].Incident != "1" || got[1].Kind != "reset" || !got[1].At.Equal(at(5)) || got[1].Ref != ref {
		t.Errorf("%+v, %v", got, err)
	}
	if none, err := db.Events(t.Context(), store.Ref{Cluster: "billing"}, at(0), at(5)); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

// A save that is wrong in itself is refused and does not hold up the others.
func TestWrongSaveFailsAlone(t *testing.T) {
	db, _ := openNew(t, day)
	if err := db.SaveIncident(store.Incident{}); err == nil {
		t.Error("an incident without an id was saved")
	}
	if _, err := db.w.Exec("CREATE TRIGGER no BEFORE INSERT ON run WHEN new.id = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() { done <- db.SaveRun(store.StepRun{ID: "bad", At: day}) }()
	go func() { done <- db.SaveRun(store.StepRun{ID: "good", At: day}) }()
	if a, b := <-done, <-done; (a == nil) == (b == nil) {
		t.Errorf("one save of two is wrong: %v, %v", a, b)
	}
	if _, err := db.Run(t.Context(), "good"); err != nil {
		t.Error(err)
	}
	if !db.Health().OK {
		t.Error("a wrong save counts as a failing disk")
	}
}
