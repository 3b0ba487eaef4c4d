package match

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

var (
	primary = store.Ref{Cluster: "orders", Instance: "orders-1"}
	standby = store.Ref{Cluster: "orders", Instance: "orders-2"}
	t0      = time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
)

// rig drives a matcher second by second with values of one's choice.
type rig struct {
	t      *testing.T
	m      *Matcher
	w      *store.Window
	sec    int
	kept   map[string]store.Incident
	what   []string
	muted  string
	lastID int
}

const oneClause = `
version: 1
role: any
severity: %s
hold: %s
release: %s
%s
summary: {default: "{c.value} on {instance}"}
when: {all: [{id: c, says: it is so, signal: %s, over: 1s, above: 5}%s]}
`

func sig(t *testing.T, slug, severity, hold, extra, signal, more string) *signature.Signature {
	t.Helper()
	s, err := signature.Compile(slug+"/signature.yaml", fmt.Appendf(nil, oneClause, severity, hold, "10s", extra, signal, more))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newRig(t *testing.T, sigs ...*signature.Signature) *rig {
	r := &rig{t: t, w: store.NewWindow(Baselines(sigs)), kept: map[string]store.Incident{}}
	r.m = New(Options{
		Window: r.w, Signatures: func() []*signature.Signature { return sigs },
		NextID:  func() string { r.lastID++; return fmt.Sprint(r.lastID) },
		Keep:    func(in store.Incident) { r.kept[in.ID] = in },
		Publish: func(in store.Incident, what string) { r.what = append(r.what, in.ID+" "+what) },
		Muted:   func(string, time.Time) (string, bool) { return r.muted, r.muted != "" },
	})
	return r
}

// run feeds n seconds of values to one instance and ticks.
func (r *rig) run(n int, ref store.Ref, vals map[string]float64) {
	for range n {
		b := store.Batch{Ref: ref, Source: "postgres", At: t0.Add(time.Duration(r.sec) * time.Second), Elapsed: time.Second, Role: store.RolePrimary}
		if ref == standby {
			b.Role = store.RoleStandby
		}
		for name, v := range vals {
			b.Samples = append(b.Samples, store.SampleOf(store.MustLookup(name), "", v, time.Second))
		}
		if vals != nil {
			r.w.Push(b)
		}
		r.m.Tick(b.At, b.At)
		r.sec++
	}
}

func (r *rig) only() store.Incident {
	r.t.Helper()
	if len(r.kept) != 1 {
		r.t.Fatalf("%d incidents, want one: %v", len(r.kept), r.what)
	}
	return r.kept["1"]
}

func load(v float64) map[string]float64 { return map[string]float64{"pg.active": v} }

func TestPendingOpenClearingClosed(t *testing.T) {
	r := newRig(t, sig(t, "a", "stall", "3s", "", "pg.active", ""))
	r.run(3, primary, load(9))
	r.run(2, primary, load(1))
	if len(r.kept) != 0 {
		t.Fatal("it opened before its hold time")
	}
	r.run(4, primary, load(9))
	in := r.only()
	if in.State != store.StateOpen || in.OpenedAt != t0.Add(8*time.Second) || in.Summary != "9 sessions on orders-1" {
		t.Errorf("opened as %+v", in)
	}
	r.run(5, primary, load(40))
	if in = r.only(); *in.Evidence[0].Observed != 40 || *in.Opening[0].Observed != 9 {
		t.Errorf("worst %v, opening %v", *in.Evidence[0].Observed, *in.Opening[0].Observed)
	}
	r.run(4, primary, load(1))
	if in = r.only(); in.State != store.StateClearing || *in.Evidence[0].Observed != 40 {
		t.Errorf("state %s, evidence %v", in.State, *in.Evidence[0].Observed)
	}
	r.run(4, primary, load(9))
	if in = r.only(); in.State != store.StateOpen {
		t.Errorf("it matched again, state %s", in.State)
	}
	r.run(11, primary, load(1))
	in = r.only()
	if in.State != store.StateClosed || in.ClosedAt == nil || in.ClosedAt.Sub(in.LastYes) != 10*time.Second {
		t.Errorf("closed %v, last match %v, state %s", in.ClosedAt, in.LastYes, in.State)
	}
	if len(r.m.Ongoing()) != 0 {
		t.Error("a closed incident is ongoing")
	}
}

func TestSilenceIsNoRecovery(t *testing.T) {
	r := newRig(t, sig(t, "a", "stall", "0s", "", "pg.active", ""))
	r.run(3, primary, load(9))
	r.run(120, primary, nil)
	if in := r.only(); in.State == store.StateClosed {
		t.Error("a silent instance was declared over")
	}
	r.run(15, primary, load(1))
	if in := r.only(); in.State != store.StateClosed {
		t.Errorf("it answered for 15 s without a match, state %s", in.State)
	}
}

func TestCauseNamesTheUnexplained(t *testing.T) {
	effect := sig(t, "effect", "stall", "0s", "fallback: true", "pg.wait.wal", "")
	cause := sig(t, "cause", "stall", "0s", "explains: [effect]", "pg.active", "")
	for _, late := range []int{20, 45} {
		r := newRig(t, effect, cause)
		r.run(late, primary, map[string]float64{"pg.wait.wal": 9, "pg.active": 1})
		if in := r.only(); in.Runbook != "effect" {
			t.Fatalf("opened as %s", in.Runbook)
		}
		r.run(5, primary, map[string]float64{"pg.wait.wal": 9, "pg.active": 9})
		if in := r.only(); in.Runbook != "cause" || len(in.Runners) != 0 {
			t.Errorf("after %d s it is named %s", late, in.Runbook)
		}
	}
}

func TestKnownCauseSuppressesTheUnexplained(t *testing.T) {
	effect := sig(t, "effect", "stall", "0s", "fallback: true", "pg.wait.wal", "")
	both := map[string]float64{"pg.wait.wal": 9, "pg.active": 9}
	r := newRig(t, effect, sig(t, "cause", "stall", "0s", "", "pg.active", ""))
	r.run(10, primary, both)
	if in := r.only(); in.Runbook != "cause" {
		t.Errorf("named %s", in.Runbook)
	}
	r = newRig(t, effect, sig(t, "mild", "degraded", "0s", "", "pg.active", ""))
	r.run(10, primary, both)
	if len(r.kept) != 2 {
		t.Errorf("something degraded must not hide an unexplained stall: %v", r.what)
	}
}

func TestTwoMatchesAreOneIncident(t *testing.T) {
	vague := sig(t, "vague", "stall", "0s", "", "pg.active", "")
	exact := sig(t, "exact", "stall", "0s", "", "pg.active", ", {id: d, says: d, signal: pg.tps, over: 1s, above: 5}")
	r := newRig(t, vague, exact)
	r.run(3, primary, map[string]float64{"pg.active": 9, "pg.tps": 9})
	in := r.only()
	if in.Runbook != "exact" || len(in.Runners) != 1 || in.Runners[0].Runbook != "vague" || len(in.Runners[0].Clauses) == 0 {
		t.Errorf("%s with runners-up %+v", in.Runbook, in.Runners)
	}
	r.run(12, primary, map[string]float64{"pg.active": 9, "pg.tps": 1})
	if in = r.only(); in.State != store.StateOpen {
		t.Errorf("the runner-up still matches, state %s", in.State)
	}
}

func TestEffectOnThePrimaryJoinsTheStandbysIncident(t *testing.T) {
	effect := sig(t, "effect", "outage", "0s", "", "pg.wait.sync_rep", "")
	cause := sig(t, "cause", "stall", "0s", "explains: [effect]", "pg.active", "")
	effect.Role, cause.Role = store.RolePrimary, store.RoleStandby
	r := newRig(t, effect, cause)
	r.run(2, primary, map[string]float64{"pg.wait.sync_rep": 9, "pg.active": 0})
	r.sec--
	r.run(2, standby, map[string]float64{"pg.active": 9, "pg.wait.sync_rep": 0})
	in := r.only()
	if in.Runbook != "cause" || in.Instance != "orders-2" || in.Severity != store.Outage {
		t.Errorf("%s on %s, %s", in.Runbook, in.Instance, in.Severity)
	}
	if len(in.Runners) != 1 || in.Runners[0].Instance != "orders-1" {
		t.Errorf("runners-up %+v", in.Runners)
	}
}

func TestRestoredIncidentGetsItsReleaseTime(t *testing.T) {
	s := sig(t, "a", "stall", "0s", "", "pg.active", "")
	r := newRig(t, s)
	r.run(3, primary, load(9))
	before := r.only()

	again := newRig(t, s)
	again.lastID, again.sec = 1, 600
	again.m.Restore([]store.Incident{before}, t0.Add(600*time.Second))
	again.run(5, primary, load(1))
	if on := again.m.Ongoing(); len(on) != 1 || on[0].ID != before.ID {
		t.Fatalf("after a restart: %v", on)
	}
	again.run(5, primary, load(9))
	if on := again.m.Ongoing(); len(on) != 1 || on[0].ID != before.ID || on[0].State != store.StateOpen {
		t.Errorf("it goes on under its id: %v", again.what)
	}
	again.run(12, primary, load(1))
	if again.kept[before.ID].State != store.StateClosed {
		t.Error("it never closed")
	}
}

func TestMutedIncidentSaysWhy(t *testing.T) {
	r := newRig(t, sig(t, "a", "stall", "0s", "", "pg.active", ""))
	r.muted = "storage migration"
	r.run(1, primary, load(9))
	if in := r.only(); in.Muted != "storage migration" {
		t.Errorf("muted %q", in.Muted)
	}
}

func TestDiagnosesNearestFirst(t *testing.T) {
	r := newRig(t, sig(t, "far", "stall", "0s", "", "pg.tps", ""), sig(t, "near", "stall", "0s", "", "pg.active", ""), sig(t, "unknown", "stall", "0s", "", "disk.queue", ""))
	r.run(1, primary, map[string]float64{"pg.active": 4, "pg.tps": 0.1})
	at, list := r.m.Diagnoses(primary)
	var order []string
	for _, d := range list {
		order = append(order, d.Runbook)
		if d.Missing == "" {
			t.Errorf("%s does not say what is missing", d.Runbook)
		}
	}
	if strings.Join(order, " ") != "near unknown far" || at != t0 {
		t.Errorf("order %v at %v", order, at)
	}
}

// What slows down a standby is not explained by a stall of its primary.
func TestStallOfAnotherInstanceIsItsOwn(t *testing.T) {
	effect := sig(t, "effect", "stall", "0s", "fallback: true", "pg.wait.data_read", "")
	cause := sig(t, "cause", "stall", "0s", "explains: [effect]", "pg.active", "")
	r := newRig(t, effect, cause)
	r.run(2, primary, map[string]float64{"pg.active": 9, "pg.wait.data_read": 0})
	r.sec--
	r.run(2, standby, map[string]float64{"pg.active": 0, "pg.wait.data_read": 9})
	if len(r.kept) != 2 {
		t.Errorf("%d incidents for two stalls: %v", len(r.kept), r.what)
	}
}

// A source that falls silent takes the clause that held out of sight; the disk's
// readings go on and say nothing about it.
func TestOneSilentSourceIsNoRecovery(t *testing.T) {
	r := newRig(t, sig(t, "a", "stall", "0s", "", "pg.active", ""))
	r.run(3, primary, load(9))
	r.run(60, primary, map[string]float64{"disk.queue": 1})
	if in := r.only(); in.State == store.StateClosed {
		t.Error("it was declared over though nobody read what it rests on")
	}
	r.run(3, primary, load(1))
	r.run(12, primary, load(1))
	if in := r.only(); in.State != store.StateClosed {
		t.Errorf("seen again and well: %s", in.State)
	}
}

func TestLongSilenceDoesNotSayOver(t *testing.T) {
	r := newRig(t, sig(t, "a", "stall", "0s", "", "pg.active", ""))
	r.run(3, primary, load(9))
	r.run(int(blindFor.Seconds())+5, primary, nil)
	in := r.only()
	if last := in.Timeline[len(in.Timeline)-1].Text; in.State != store.StateClosed || !strings.Contains(last, "without knowing") {
		t.Errorf("state %s: %s", in.State, last)
	}
}

// A new primary ends the outage of the one that is gone.
func TestFailoverEndsTheOldPrimarysIncident(t *testing.T) {
	s := sig(t, "a", "outage", "0s", "", "pg.active", "")
	s.Role = store.RolePrimary
	r := newRig(t, s)
	r.run(3, primary, load(9))
	r.run(20, primary, nil)
	b := store.Batch{Ref: standby, Source: "postgres", At: t0.Add(time.Duration(r.sec) * time.Second), Role: store.RolePrimary}
	r.w.Push(b)
	r.run(2, primary, nil)
	in := r.only()
	if last := in.Timeline[len(in.Timeline)-1].Text; in.State != store.StateClosed || !strings.Contains(last, "orders-2 is the primary now") {
		t.Errorf("state %s: %s", in.State, last)
	}
}

func TestWorstSurvivesARestart(t *testing.T) {
	s := sig(t, "a", "stall", "0s", "", "pg.active", "")
	r := newRig(t, s)
	r.run(3, primary, load(30))
	again := newRig(t, s)
	again.sec = 10
	again.m.Restore([]store.Incident{r.only()}, t0.Add(10*time.Second))
	again.run(3, primary, load(9))
	if on := again.m.Ongoing(); len(on) != 1 || *on[0].Evidence[0].Observed != 30 {
		t.Errorf("the worst is %v now", *on[0].Evidence[0].Observed)
	}
}

func TestSeveritySinceItWasReached(t *testing.T) {
	s := sig(t, "a", "stall", "0s", "escalate: [{to: outage, all: [{id: w, says: w, signal: pg.wait.sync_rep, over: 1s, above: 1}]}]", "pg.active", "")
	r := newRig(t, s)
	r.run(5, primary, map[string]float64{"pg.active": 9, "pg.wait.sync_rep": 0})
	r.run(3, primary, map[string]float64{"pg.active": 9, "pg.wait.sync_rep": 4})
	in := r.only()
	if in.Severity != store.Outage || !in.OpenedAt.Equal(t0) || !in.SevereSince().Equal(t0.Add(5*time.Second)) {
		t.Errorf("%s since %v, opened %v", in.Severity, in.SevereSince(), in.OpenedAt)
	}
}
