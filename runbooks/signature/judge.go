package signature

import (
	"strings"
	"time"

	"stallbook/store"
)

// Options are what a judgement depends on beside the data.
type Options struct {
	Open      bool               // an incident of this signature is open: clear_above and clear_below count
	Overrides map[string]float64 // the cluster's thresholds by clause id
}

// Result is one signature judged on one instance at one moment. Texts are made
// only when someone asks (Evidence, Summary), so that a tick stays cheap. It
// holds until the next Judge into it.
type Result struct {
	Signature *Signature
	Ref       store.Ref
	At        time.Time
	Verdict   store.MatchVerdict
	Severity  store.Severity
	Form      string
	Waived    bool       // a clause was left out because nobody measures it
	RoleIs    store.Role // the instance's
	WrongRole bool

	primary string
	seen    []observation
}

// observation is what one clause saw.
type observation struct {
	instance         string
	value            float64
	threshold        float64
	usual            float64
	byDefault        float64 // threshold without the cluster's override
	sec              int64   // of the value
	held             int64   // last second of the window that is past the threshold by itself, 0 = none
	label, text      string
	verdict          store.Verdict
	why              reason
	hasValue, hasThr bool
	hasUsual         bool
	overridden       bool
	set              float64 // the number that the cluster gave
}

// reason says why a clause is unknown.
type reason uint8

const (
	known reason = iota
	noInstance
	notMeasured // the signal never came
	tooFew      // it came, not within the window or not often enough
	noUsual     // the baseline is too young
	noLimit     // the signal that the threshold refers to is not known
	estimated   // an estimate can't prove that nothing is wrong
)

// Judge judges the signature on ref at now into out, reusing its memory.
func (s *Signature) Judge(v store.View, ref store.Ref, now time.Time, o Options, out *Result) {
	seen := out.seen[:0]
	*out = Result{Signature: s, Ref: ref, At: now, Verdict: store.NoMatch, Severity: s.Severity}
	in, primary := v.Instance(ref), v.Primary(ref.Cluster)
	if in != nil {
		out.RoleIs = in.Role
	}
	if primary != nil {
		out.primary = primary.Ref.Instance
	}
	for _, c := range s.clauses {
		seen = append(seen, observation{})
		c.judge(v, in, primary, now.Unix(), o, &seen[len(seen)-1])
	}
	out.seen = seen
	s.together(in, now.Unix(), out)
	s.atOnce(in, now.Unix(), o, out)
	if s.Role != store.RoleUnknown && in != nil && in.Role != store.RoleUnknown && in.Role != s.Role {
		out.WrongRole = true
		return
	}
	s.conclude(out)
	if s.Role != store.RoleUnknown && (in == nil || in.Role == store.RoleUnknown) && out.Verdict == store.Matched {
		out.Verdict = store.Possible
	}
}

// conclude combines the clauses: all, one form, none, then the severity.
func (s *Signature) conclude(out *Result) {
	verdict, cap := store.Yes, store.Outage
	for i := range s.nAll {
		o := &out.seen[i]
		if s.waived(i, o) {
			out.Waived = true
			if w := s.clauses[i].waive; w.Rank() < cap.Rank() {
				cap = w
			}
			continue
		}
		verdict = min(verdict, o.verdict)
	}
	best := store.No
	for _, f := range s.forms {
		v := store.Yes
		for _, i := range f.clauses {
			if !s.waived(i, &out.seen[i]) {
				v = min(v, out.seen[i].verdict)
			}
		}
		for _, i := range f.measured {
			v = min(v, out.seen[i].verdict)
		}
		if v > best || out.Form == "" {
			best, out.Form = max(best, v), f.name
		}
	}
	if len(s.forms) > 0 {
		verdict = min(verdict, best)
	}
	for i, c := range s.clauses {
		if c.group == store.GroupNone && out.seen[i].verdict == store.Yes {
			verdict = store.No
		}
	}
	switch verdict {
	case store.Yes:
		out.Verdict = store.Matched
	case store.Unknown:
		out.Verdict = store.Possible
	}
	if cap.Rank() < out.Severity.Rank() {
		out.Severity = cap
	}
	s.escalate(out)
}

// waived reports whether a clause is left out because nobody measures its signal,
// or only an estimate does, which can't say that all is well.
func (s *Signature) waived(i int, o *observation) bool {
	return s.clauses[i].waive != "" && o.verdict == store.Unknown && (o.why == notMeasured || o.why == estimated)
}

func (s *Signature) escalate(out *Result) {
	for _, e := range s.steps {
		v := store.Yes
		for _, i := range e.clauses {
			v = min(v, out.seen[i].verdict)
		}
		if v == store.Yes {
			out.Severity = store.Worse(out.Severity, e.to)
		}
	}
}

// judge observes one clause.
func (c *clause) judge(v store.View, in, primary *store.Instance, now int64, o Options, out *observation) {
	switch c.on {
	case "primary":
		in = primary
	case "standbys":
		c.judgeStandbys(v, in, now, o, out)
		return
	}
	c.judgeOn(in, now, o, out)
}

// judgeStandbys takes the standby on which the clause comes nearest to holding.
func (c *clause) judgeStandbys(v store.View, in *store.Instance, now int64, o Options, out *observation) {
	out.why = noInstance
	first := true
	for _, ref := range v.Refs() {
		other := v.Instance(ref)
		if in == nil || ref.Cluster != in.Ref.Cluster || other.Role != store.RoleStandby {
			continue
		}
		var seen observation
		c.judgeOn(other, now, o, &seen)
		if first || seen.verdict > out.verdict {
			*out, first = seen, false
		}
	}
}

func (c *clause) judgeOn(in *store.Instance, now int64, o Options, out *observation) {
	if in == nil {
		out.why = noInstance
		return
	}
	out.instance = in.Ref.Instance
	if c.fact != "" {
		c.judgeFact(in, out)
		return
	}
	override, overridden := o.Overrides[c.id]
	t := c.threshold
	if o.Open && c.clear != nil {
		t = *c.clear
	}
	if overridden {
		out.overridden, out.set = true, override
		out.byDefault, _, _ = t.in(in, c.signal, c.above, now)
		t = t.with(override)
	}
	if c.seconds != nil {
		return // judged when the clauses that it names are: atOnce
	}
	if c.events != nil {
		c.count(in, now, out)
	} else {
		c.observe(in, now, out)
	}
	var why reason
	out.threshold, out.usual, why = t.in(in, c.signal, c.above, now)
	out.hasThr, out.hasUsual = why == known, t.kind == ofBaseline && why == known
	if out.why == known {
		out.why = why
	}
	if out.hasValue && out.hasThr {
		out.verdict = compare(out.value, out.threshold, c.above)
		c.distrust(in, out)
		out.held = c.lastHeld(in, now, out)
	}
}

// latencyFrom is the fact that says where request latency comes from.
const latencyFrom = "latency.from"

// distrust takes back an all-clear that rests on an estimate of latency: the mean
// of statements leaves out what a commit waits for its flush.
func (c *clause) distrust(in *store.Instance, out *observation) {
	calm := store.No
	if !c.above {
		calm = store.Yes
	}
	if out.verdict != calm || !strings.HasPrefix(c.signal.Name(), "latency.") {
		return
	}
	if f, ok := in.Fact(latencyFrom); ok && strings.HasPrefix(f.Value, "estimate") {
		out.verdict, out.why = store.Unknown, estimated
	}
}

func compare(v, threshold float64, above bool) store.Verdict {
	if above && v >= threshold || !above && v <= threshold {
		return store.Yes
	}
	return store.No
}

func (c *clause) judgeFact(in *store.Instance, out *observation) {
	f, ok := in.Fact(c.fact)
	if !ok {
		out.why = notMeasured
		return
	}
	out.text, out.sec = f.Value, f.Since.Unix()
	out.verdict = store.No
	if len(c.is) > 0 && contains(c.is, f.Value) || len(c.isNot) > 0 && !contains(c.isNot, f.Value) {
		out.verdict = store.Yes
	}
}

func contains(list []string, v string) bool {
	for _, s := range list {
		if s == v {
			return true
		}
	}
	return false
}

// limitAge is how old a limit may be: it changes when the volume does.
const limitAge = 120

// in computes the threshold on an instance, and the usual value it rests on.
func (t *threshold) in(in *store.Instance, id store.SignalID, above bool, now int64) (value, usual float64, why reason) {
	switch t.kind {
	case ofSignal:
		s := in.Get(t.of, "")
		if s == nil {
			return 0, 0, noLimit
		}
		for sec := now; sec > now-limitAge; sec-- {
			if v, ok := s.At(sec); ok {
				return v*t.times + t.plus, 0, known
			}
		}
		return 0, 0, noLimit
	case ofBaseline:
		s := in.Get(id, "")
		if s == nil {
			return 0, 0, notMeasured
		}
		usual, ok := s.Baseline.Median()
		if !ok {
			return 0, 0, noUsual
		}
		if !above {
			return usual*t.times + t.plus, usual, known
		}
		return max(usual*t.times, usual+t.plus, t.floor), usual, known
	}
	return t.value, 0, known
}

// number is what a cluster may override.
func (t *threshold) number() float64 {
	if t.kind == constant {
		return t.value
	}
	return t.times
}

// with replaces the number that a cluster may override: the constant, or the
// multiple of a limit or of what is usual.
func (t threshold) with(v float64) threshold {
	if t.kind == constant {
		t.value = v
	} else {
		t.times = v
	}
	return t
}

// Lost reports whether a clause that held in the evidence is unknown now: the
// match did not end, it is no longer seen.
func (r *Result) Lost(held []store.Evidence) bool {
	for _, e := range held {
		if e.Verdict != store.Yes || e.Group != store.GroupAll && e.Group != store.GroupForm {
			continue
		}
		for i, c := range r.Signature.clauses {
			if c.id == e.Clause && r.seen[i].verdict == store.Unknown {
				return r.Verdict == store.Possible
			}
		}
	}
	return false
}
