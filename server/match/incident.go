package match

import (
	"fmt"
	"slices"
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

// incident is an ongoing one with what the matcher needs beside its record.
type incident struct {
	store.Incident
	sig     *signature.Signature // nil until its signature was seen after a restart
	release time.Duration
	matched time.Time // last tick in which it or a runner-up matched
	blind   time.Time // since when what held is unknown; zero while it is seen
	late    bool      // its readings come late: it is over by their clock, not by ours
	score   float64   // of the worst evidence
}

const (
	defaultRelease = 30 * time.Second
	// renameWithin is how late a more specific cause may be learnt and still take
	// the name from another cause (decisions.md).
	renameWithin = 30 * time.Second
	// blindFor is how long an incident stays open on an instance that went
	// silent: silence is the strongest symptom and no sign of recovery.
	blindFor = 10 * time.Minute
)

// place gives an active match its incident: its own, one that it names anew, one
// whose runner-up it becomes, or a new one.
func (m *Matcher) place(j *judgement, now, wall time.Time) {
	r := &j.result
	if own := m.find(func(in *incident) bool { return in.Runbook == r.Signature.Slug && in.Ref() == r.Ref }); own != nil {
		m.update(own, r, now)
		return
	}
	if r.Signature.Fallback && m.explained(r) {
		return
	}
	in := m.find(func(in *incident) bool { return m.sameStall(in, r) })
	switch {
	case in == nil:
		m.open(r, now, wall)
	case r.Signature.Fallback:
		m.open(r, now, wall) // what is open there is mild and does not explain this effect
	case m.names(in, r, now):
		m.rename(in, r, now)
	default:
		m.runnerUp(in, r, now)
	}
}

func (m *Matcher) find(f func(*incident) bool) *incident {
	if i := slices.IndexFunc(m.ongoing, f); i >= 0 {
		return m.ongoing[i]
	}
	return nil
}

// explained reports whether an ongoing incident of severity stall or worse
// already accounts for the effect that r saw.
func (m *Matcher) explained(r *signature.Result) bool {
	return m.find(func(in *incident) bool {
		return in.Severity.Rank() >= store.Stall.Rank() && (in.Ref() == r.Ref || m.acrossInstances(in, r))
	}) != nil
}

// sameStall reports whether a match is about the stall of an ongoing incident:
// the same instance, or one is the other's effect within the cluster.
func (m *Matcher) sameStall(in *incident, r *signature.Result) bool {
	return in.Ref() == r.Ref || m.acrossInstances(in, r)
}

// acrossInstances reports whether one of the two explains the other from another
// instance. Only a standby does that to its primary, by not acknowledging: what
// slows down another standby, or a standby of a slow primary, is its own stall.
func (m *Matcher) acrossInstances(in *incident, r *signature.Result) bool {
	if in.Cluster != r.Ref.Cluster || in.Ref() == r.Ref {
		return false
	}
	if r.RoleIs == store.RolePrimary && in.sig != nil && in.sig.Role == store.RoleStandby {
		return slices.Contains(in.sig.Explains, r.Signature.Slug)
	}
	return r.Signature.Role == store.RoleStandby && in.Instance == r.Primary() && slices.Contains(r.Signature.Explains, in.Runbook)
}

// names reports whether r is the better name for the incident. A cause always
// names a stall that is still open without one: two alarms for one stall help
// nobody.
func (m *Matcher) names(in *incident, r *signature.Result, now time.Time) bool {
	switch {
	case in.sig == nil:
		return slices.Contains(r.Signature.Explains, in.Runbook)
	case in.sig.Fallback || slices.Contains(r.Signature.Explains, in.Runbook):
		return true
	case slices.Contains(in.sig.Explains, r.Signature.Slug):
		return false
	}
	return now.Sub(in.OpenedAt) <= renameWithin && r.Signature.Specific > in.sig.Specific
}

func (m *Matcher) open(r *signature.Result, now, wall time.Time) {
	d := r.Diagnosis()
	in := &incident{sig: r.Signature, release: r.Signature.Release, score: score(d.Clauses), matched: now}
	in.Incident = store.Incident{
		ID: m.o.NextID(), Cluster: r.Ref.Cluster, Instance: r.Ref.Instance, State: store.StateOpen,
		Runbook: d.Runbook, Form: d.Form, Severity: d.Severity, OpenedAt: now, LearntAt: wall, WorstAt: now, SevereAt: now, LastYes: now,
		Summary: d.Summary, Evidence: d.Clauses, Opening: d.Clauses,
	}
	if why, muted := m.o.Muted(in.Cluster, now); muted {
		in.Muted = why
	}
	m.ongoing = append(m.ongoing, in)
	m.note(in, now, "opened", fmt.Sprintf("%s opened: %s", title(in.Severity), d.Summary))
}

// update feeds a match of the incident's own signature.
func (m *Matcher) update(in *incident, r *signature.Result, now time.Time) {
	in.sig, in.release = r.Signature, r.Signature.Release
	in.seen(r, now)
	if in.State == store.StateClearing {
		in.State = store.StateOpen
		m.note(in, now, "open", "It matches again")
	}
	d := r.Diagnosis()
	sc := score(d.Clauses)
	worse := d.Severity.Rank() > in.Severity.Rank()
	if !worse && (d.Severity.Rank() < in.Severity.Rank() || sc <= in.score+minWorse) {
		return
	}
	in.Evidence, in.Summary, in.WorstAt, in.score, in.Form = d.Clauses, d.Summary, now, sc, d.Form
	if worse {
		from := in.Severity
		in.Severity, in.SevereAt = d.Severity, now
		m.note(in, now, "worse", fmt.Sprintf("%s, it was %s: %s", title(d.Severity), from, d.Summary))
		return
	}
	m.keep(in)
}

// seen notes a match of the incident's signature or of a runner-up.
func (in *incident) seen(r *signature.Result, now time.Time) {
	if now.After(in.matched) {
		in.matched = now
	}
	if at := r.EffectAt(); at.After(in.LastYes) {
		in.LastYes = at
	}
}

func (m *Matcher) rename(in *incident, r *signature.Result, now time.Time) {
	old := in.Runbook
	if in.sig != nil && !in.sig.Fallback {
		in.Runners = append(in.Runners, store.RunnerUp{Runbook: old, Instance: in.Instance, Since: in.OpenedAt, Clauses: in.Evidence})
	}
	in.Runners = slices.DeleteFunc(in.Runners, func(x store.RunnerUp) bool { return x.Runbook == r.Signature.Slug })
	d := r.Diagnosis()
	in.Runbook, in.Instance, in.Form = d.Runbook, r.Ref.Instance, d.Form
	in.Summary, in.Evidence, in.WorstAt, in.score = d.Summary, d.Clauses, now, score(d.Clauses)
	in.seen(r, now)
	if d.Severity.Rank() > in.Severity.Rank() {
		in.Severity, in.SevereAt = d.Severity, now
	}
	in.sig, in.release = r.Signature, r.Signature.Release
	in.State = store.StateOpen
	m.note(in, now, "renamed", fmt.Sprintf("The cause is known: %s, until now %s", m.o.Titles(in.Runbook), m.o.Titles(old)))
}

// runnerUp records a second signature that matches on the same stall; while it
// does, the stall is not over.
func (m *Matcher) runnerUp(in *incident, r *signature.Result, now time.Time) {
	in.seen(r, now)
	i := slices.IndexFunc(in.Runners, func(x store.RunnerUp) bool {
		return x.Runbook == r.Signature.Slug && x.Instance == r.Ref.Instance
	})
	if i >= 0 {
		return
	}
	in.Runners = append(in.Runners, store.RunnerUp{Runbook: r.Signature.Slug, Instance: r.Ref.Instance, Since: now, Clauses: r.Evidence()})
	m.note(in, now, "runner-up", fmt.Sprintf("Also matches on %s: %s", r.Ref.Instance, m.o.Titles(r.Signature.Slug)))
}

// advance moves the incidents that did not match in this tick towards closed.
func (m *Matcher) advance(standing map[store.Ref]bool, leads map[string]string, now time.Time) {
	m.ongoing = slices.DeleteFunc(m.ongoing, func(in *incident) bool {
		if in.matched.Equal(now) {
			in.blind = time.Time{}
			return false
		}
		if m.unseen(in, standing) {
			return m.wait(in, leads[in.Cluster], now)
		}
		if !in.blind.IsZero() { // seen again: it gets its release time from here
			in.matched, in.blind = now, time.Time{}
			return false
		}
		quiet := m.clock(in, now).Sub(in.matched)
		if quiet >= in.releaseTime() {
			return m.close(in, now, over(in))
		}
		if in.State == store.StateOpen && quiet >= clearingAfter {
			in.State = store.StateClearing
			m.note(in, now, "clearing", "It no longer matches; it closes after "+store.Span(in.releaseTime())+" without a match")
		}
		return false
	})
}

// unseen reports whether nobody can say that the incident is over: what held is
// unknown now. Silence is the strongest symptom and no sign of recovery.
func (m *Matcher) unseen(in *incident, standing map[store.Ref]bool) bool {
	if !standing[in.Ref()] {
		return true
	}
	i := slices.IndexFunc(m.judged[in.Ref()], func(j *judgement) bool { return j.result.Signature.Slug == in.Runbook })
	return i >= 0 && !in.late && m.judged[in.Ref()][i].result.Lost(in.Evidence)
}

// wait keeps an incident open that is no longer seen, until another instance took
// over or nobody has heard of it for blindFor.
func (m *Matcher) wait(in *incident, leader string, now time.Time) bool {
	if in.blind.IsZero() {
		in.blind = now
	}
	if in.sig != nil && in.sig.Role == store.RolePrimary && leader != "" && leader != in.Instance {
		return m.close(in, now, leader+" is the primary now; "+in.Instance+" was not heard again")
	}
	if now.Sub(in.blind) >= blindFor {
		return m.close(in, now, fmt.Sprintf("Not heard of for %d min: closed without knowing whether it is over", int(blindFor.Minutes())))
	}
	return false
}

func (in *incident) releaseTime() time.Duration {
	if in.release == 0 {
		return defaultRelease
	}
	return in.release
}

// clearingAfter keeps a single missed second from flapping the state.
const clearingAfter = 3 * time.Second

// over says how long the effect lasted.
func over(in *incident) string {
	lasted := in.LastYes.Sub(in.OpenedAt).Round(time.Second)
	if lasted <= 0 {
		return "Over when it was recognised"
	}
	return "Over after " + store.Span(lasted)
}

func (m *Matcher) close(in *incident, now time.Time, says string) bool {
	at := now
	in.ClosedAt, in.State = &at, store.StateClosed
	m.note(in, now, "closed", says)
	return true
}

// note writes a line of the incident's timeline, keeps it and tells the pages.
func (m *Matcher) note(in *incident, now time.Time, what, text string) {
	in.Timeline = append(in.Timeline, store.Event{At: now, Ref: in.Ref(), Kind: what, Text: text, Incident: in.ID})
	m.keep(in)
	if m.o.Publish != nil {
		m.o.Publish(*in.Clone(), what)
	}
}

func (m *Matcher) keep(in *incident) {
	if m.o.Keep != nil {
		m.o.Keep(*in.Clone())
	}
}

func title(s store.Severity) string {
	switch s {
	case store.Outage:
		return "Outage"
	case store.Stall:
		return "Stall"
	case store.Degraded:
		return "Degraded"
	}
	return "Risk"
}
