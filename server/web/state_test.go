package web

import (
	"testing"
	"time"

	"stallbook/store"
)

func TestStateOf(t *testing.T) {
	reading := func(ago time.Duration, every time.Duration, values map[string]float64) func(*world) {
		return func(w *world) {
			w.window.Declare(primary, "postgres", every)
			w.push(primary, "postgres", store.RolePrimary, noon.Add(-ago), values)
		}
	}
	incident := func(sev store.Severity, st store.State) store.Incident {
		return store.Incident{ID: string(sev), Cluster: "orders", Instance: "orders-1", Severity: sev, State: st}
	}
	elsewhere := incident(store.Outage, store.StateOpen)
	elsewhere.Instance = "orders-2"
	for _, c := range []struct {
		name string
		set  func(*world)
		open []store.Incident
		want string
	}{
		{"fresh", reading(time.Second, time.Second, nil), nil, "ok"},
		{"never heard", func(w *world) { w.window.Declare(primary, "postgres", time.Second) }, nil, "no data"},
		{"14 s", reading(14*time.Second, time.Second, nil), nil, "ok"},
		{"16 s", reading(16*time.Second, time.Second, nil), nil, "no data"},
		{"16 s of a slow source", reading(16*time.Second, 15*time.Second, nil), nil, "ok"},
		{"three missed of a slow source", reading(46*time.Second, 15*time.Second, nil), nil, "no data"},
		{"hydrating", reading(time.Second, time.Second, map[string]float64{"rds.storage_initializing": 1}), nil, "hydrating"},
		{"not hydrating any more", reading(time.Second, time.Second, map[string]float64{"rds.storage_initializing": 0}), nil, "ok"},
		{"worst of two", reading(time.Second, time.Second, nil), []store.Incident{incident(store.Degraded, store.StateOpen), incident(store.Stall, store.StateClearing)}, "stall"},
		{"an incident outlasts silence", reading(time.Minute, time.Second, nil), []store.Incident{incident(store.Outage, store.StateOpen)}, "outage"},
		{"closed", reading(time.Second, time.Second, nil), []store.Incident{incident(store.Outage, store.StateClosed)}, "ok"},
		{"another instance's", reading(time.Second, time.Second, nil), []store.Incident{elsewhere}, "ok"},
	} {
		w := &world{window: store.NewWindow(nil)}
		c.set(w)
		w.window.Read(func(v store.View) {
			if got := stateOf(v.Instance(primary), c.open, noon); got.Word != c.want {
				t.Errorf("%s: %q, want %q", c.name, got.Word, c.want)
			}
		})
	}
}

func TestHydrationKeepsUnknownProgressUnknown(t *testing.T) {
	w := &world{window: store.NewWindow(nil)}
	w.push(primary, "rds", store.RolePrimary, noon, map[string]float64{"rds.storage_initializing": 1})
	w.window.Read(func(v store.View) {
		st := stateOf(v.Instance(primary), nil, noon)
		if st.Progress != nil || stateChip(st).Word != "Hydrating, progress not reported" {
			t.Errorf("%+v", st)
		}
	})
	w.push(primary, "rds", store.RolePrimary, noon, map[string]float64{"rds.storage_progress_pct": 65})
	w.window.Read(func(v store.View) {
		if got := stateChip(stateOf(v.Instance(primary), nil, noon)).Word; got != "Hydrating 65 %" {
			t.Error(got)
		}
	})
}

// The primary whose commits wait is in the outage that its standby causes.
func TestRunnerUpIsInTheIncidentToo(t *testing.T) {
	w := newWorld(t)
	in := open()
	in.Cluster, in.Instance, in.Severity = standby.Cluster, standby.Instance, store.Outage
	w.window.Read(func(v store.View) {
		if got := stateOf(v.Instance(primary), []store.Incident{in}, noon); got.Word != StateOK {
			t.Errorf("without a runner-up on it: %s", got.Word)
		}
		in.Runners = []store.RunnerUp{{Runbook: "sync-standby-lost", Instance: primary.Instance}}
		if got := stateOf(v.Instance(primary), []store.Incident{in}, noon); got.Word != string(store.Outage) || got.Incident == nil {
			t.Errorf("with a runner-up on it: %s", got.Word)
		}
	})
}
