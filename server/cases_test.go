package server

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
)

// A fieldCase is a stall, or what only looks like one, that somebody reported in
// public. Its figures are played through the same Window and matcher as live
// data; what the signatures make of it must be right to the last incident.
type fieldCase struct {
	name     string
	reported string // what happened there
	play     func(*tape)
	opens    []string // "runbook instance severity", in the order of opening; none = must stay silent
	form     string   // of the first incident, where it matters which
	problems int      // what the reader of the recording objects to: three lines and the clock that went back
	near     *near    // how a diagnosis must stand at the end of the event
}

// near is how a signature stands on an instance at the end of the event.
type near struct {
	instance, runbook string
	verdict           store.MatchVerdict // "" where only the clauses matter
	yes, unknown      []string           // clauses that must hold, and those that nobody could judge
}

// vals are readings of one second by signal. "signal{label}" is a labelled one;
// a bare labelled name with 0 is "read, and there are none".
type vals map[string]float64

// unread in vals takes a signal out: nobody measures it.
const unread = -1e9

// patientAfter is how long after the beginning of an event an incident may take
// to open. Signatures of one second need ten; those of slow sources a reading.
const patientAfter = 75 * time.Second

// tape is a recording in the making: instances with what is usual there, and a
// clock that moves on as it plays.
type tape struct {
	at         time.Time
	every      int // seconds between readings
	instances  []*recorded
	batches    []store.Batch
	eventFrom  time.Time
	eventUntil time.Time
	readings   int
}

// recorded is one instance of a tape.
type recorded struct {
	name  string
	role  store.Role
	usual vals
	facts map[string]string
	event func(b *store.Batch) // changes the next batch, once
}

func newTape() *tape {
	return &tape{at: time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC), every: 1}
}

// add puts an instance on the tape.
func (t *tape) add(name string, role store.Role, usual vals) *recorded {
	r := &recorded{name: name, role: role, usual: maps.Clone(usual), facts: map[string]string{}}
	t.instances = append(t.instances, r)
	return r
}

// calm plays seconds in which all is as usual.
func (t *tape) calm(seconds int) { t.play(seconds, nil) }

// event is play for the stretch in which incidents may open.
func (t *tape) event(seconds int, changed map[string]vals) {
	if t.eventFrom.IsZero() {
		t.eventFrom = t.at
	}
	t.play(seconds, changed)
	t.eventUntil = t.at
}

// play writes readings for so many seconds: what is usual on each instance, with
// what is changed there, and a few percent of unrest.
func (t *tape) play(seconds int, changed map[string]vals) {
	step := time.Duration(t.every) * time.Second
	for end := t.at.Add(time.Duration(seconds) * time.Second); t.at.Before(end); t.at = t.at.Add(step) {
		for _, r := range t.instances {
			t.batches = append(t.batches, t.reading(r, changed[r.name]))
		}
		t.readings++
	}
}

// silence lets time pass without a reading.
func (t *tape) silence(seconds int) { t.at = t.at.Add(time.Duration(seconds) * time.Second) }

func (t *tape) reading(r *recorded, changed vals) store.Batch {
	now, elapsed := with(r.usual, changed), time.Duration(t.every)*time.Second
	b := store.Batch{Ref: store.Ref{Cluster: "field", Instance: r.name}, Source: store.ReplaySource, At: t.at, Elapsed: elapsed, Role: r.role, Facts: r.facts}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] == unread {
			continue
		}
		signal, label, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		id := store.MustLookup(signal)
		b.Samples = append(b.Samples, store.SampleOf(id, label, now[name]*t.unrest(id), elapsed))
	}
	if r.event != nil {
		r.event(&b)
		r.event = nil
	}
	return b
}

// unrest moves a reading by up to 4 %, by the moment and the signal, the same in
// each run. Counts, limits and states stay as they are.
func (t *tape) unrest(id store.SignalID) float64 {
	if info := id.Info(); info.Unit == "" || info.Scale == 1 && info.Kind == store.Gauge {
		return 1
	}
	return 1 + float64((t.readings*7+int(id)*3)%9-4)/100
}

// with returns base with changes.
func with(base, changed vals) vals {
	out := maps.Clone(base)
	maps.Copy(out, changed)
	return out
}

// TestFieldCases asks the signatures for a verdict on what others suffered.
func TestFieldCases(t *testing.T) {
	lib, err := LoadLibrary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(vacuumCases(), standbyCases(), volumeCases(), oddCases(), busyCases()) {
		t.Run(c.name, func(t *testing.T) { c.check(t, lib) })
	}
}

func (c *fieldCase) check(t *testing.T, lib *runbooks.Library) {
	tp := newTape()
	c.play(tp)
	var opened []string
	list, problems := tp.replay(t, lib)
	for _, in := range list {
		opened = append(opened, fmt.Sprintf("%s %s %s", in.Runbook, in.Instance, in.Severity))
		after := in.OpenedAt.Sub(tp.eventFrom)
		t.Logf("%s after %v, form %q, %s: %s", in.Runbook, after, in.Form, in.State, in.Summary)
		if after < 0 || after > patientAfter {
			t.Errorf("%s opened %v after the event began", in.Runbook, after)
		}
		if in.State != store.StateClosed {
			t.Errorf("%s is %s at the end of a calm that is long enough to close it", in.Runbook, in.State)
		}
	}
	if !slices.Equal(opened, c.opens) {
		t.Errorf("%s: opened %q, want %q", c.reported, opened, c.opens)
	}
	if c.form != "" && len(list) > 0 && list[0].Form != c.form {
		t.Errorf("form %q, want %q", list[0].Form, c.form)
	}
	if len(problems) != c.problems {
		t.Errorf("problems with the recording: %v, want %d", problems, c.problems)
	}
	if c.near != nil {
		c.near.check(t, tp.diagnoses(lib, c.near.instance))
	}
}

// replay writes the tape as a recording and plays that.
func (t *tape) replay(tb testing.TB, lib *runbooks.Library) (list []store.Incident, problems []store.LineProblem) {
	tb.Helper()
	var text bytes.Buffer
	if err := store.WriteRecording(&text, t.batches); err != nil {
		tb.Fatal(err)
	}
	list, err := Replay(tb.Context(), []ReplayFile{{Name: "case", R: &text}}, ReplayOptions{
		Library: lib, Problem: func(_ string, p store.LineProblem) { problems = append(problems, p) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list, problems
}

// diagnoses is what stands on an instance's page at the end of the event.
func (t *tape) diagnoses(lib *runbooks.Library, instance string) []store.Diagnosis {
	id := 0
	v := newVirtual(ReplayOptions{Library: lib}, &id)
	for _, b := range t.batches {
		if !b.At.Before(t.eventUntil) {
			break
		}
		v.take(b)
	}
	v.tick()
	_, list := v.matcher.Diagnoses(store.Ref{Cluster: "field", Instance: instance})
	return list
}

// check compares clause by clause: a witness that failed or is missing must show
// as such.
func (n *near) check(t *testing.T, list []store.Diagnosis) {
	t.Helper()
	i := slices.IndexFunc(list, func(d store.Diagnosis) bool { return d.Runbook == n.runbook })
	if i < 0 {
		t.Fatalf("no diagnosis of %s on %s", n.runbook, n.instance)
	}
	if n.verdict != "" && list[i].Verdict != n.verdict {
		t.Errorf("%s on %s is %s, want %s", n.runbook, n.instance, list[i].Verdict, n.verdict)
	}
	stands := map[string]store.Evidence{}
	for _, e := range list[i].Clauses {
		stands[e.Clause] = e
	}
	for _, id := range n.yes {
		if e, ok := stands[id]; !ok || e.Verdict != store.Yes {
			t.Errorf("%s is %v (%s), want yes", id, e.Verdict, e.Why)
		}
	}
	for _, id := range n.unknown {
		if e, ok := stands[id]; !ok || e.Verdict != store.Unknown || e.Why == "" {
			t.Errorf("%s is %v because of %q, want unknown and a reason", id, e.Verdict, e.Why)
		}
	}
}
