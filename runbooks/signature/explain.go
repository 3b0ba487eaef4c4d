package signature

import (
	"fmt"
	"strings"
	"time"

	"stallbook/store"
)

// Diagnosis puts the judgement into words and numbers.
func (r *Result) Diagnosis() store.Diagnosis {
	d := store.Diagnosis{
		Runbook: r.Signature.Slug, Verdict: r.Verdict, Severity: r.Severity, Form: r.Form,
		Summary: r.Summary(), Clauses: r.Evidence(),
	}
	needed, short := 0, 0.0
	for _, e := range d.Clauses {
		if !r.counts(e) {
			continue
		}
		needed++
		short += e.Shortfall()
		if e.Verdict == store.Yes {
			d.Hold++
		}
		if d.Missing == "" && e.Verdict != store.Yes {
			d.Missing = missing(e)
		}
	}
	d.Needed = needed
	if needed > 0 {
		d.Distance = short / float64(needed)
	}
	r.ruledOut(&d)
	return d
}

// EffectAt is the last second in which what users suffer was seen: the windows of
// the clauses reach back, so the match itself lasts longer. It is At when no
// clause of the match has a second of its own.
func (r *Result) EffectAt() time.Time {
	last := int64(0)
	for i, c := range r.Signature.clauses {
		needed := c.group == store.GroupAll || c.group == store.GroupForm && c.form == r.Form || c.group == store.GroupEscalate
		if needed && !c.cause && c.fact == "" {
			last = max(last, r.seen[i].held)
		}
	}
	if last == 0 || last > r.At.Unix() {
		return r.At
	}
	if last == r.At.Unix() {
		return r.At
	}
	return time.Unix(last, 0).UTC()
}

// counts tells the clauses that must hold: those of all, and of the best form.
func (r *Result) counts(e store.Evidence) bool {
	return e.Group == store.GroupAll || e.Group == store.GroupForm && e.Form == r.Form
}

func (r *Result) ruledOut(d *store.Diagnosis) {
	if r.WrongRole {
		d.Missing, d.Distance = fmt.Sprintf("This page is about a %s; %s is a %s.", r.Signature.Role, r.Ref.Instance, r.RoleIs), 1
		return
	}
	for _, e := range d.Clauses {
		if e.Group == store.GroupNone && e.Verdict == store.Yes {
			d.Missing = "Ruled out: " + e.Says + "."
		}
	}
}

func missing(e store.Evidence) string {
	switch {
	case e.Verdict == store.Unknown:
		return e.Says + ": unknown, " + e.Why + "."
	case e.Threshold == nil:
		return fmt.Sprintf("%s: it is %q, needs %s %s.", e.Says, e.Text, e.Compare, e.ThreshTxt)
	}
	word := "at least"
	if e.Compare == "≤" {
		word = "at most"
	}
	return fmt.Sprintf("%s: %s, needs %s %s.", e.Says, store.Quantity(*e.Observed, e.Unit), word, store.Quantity(*e.Threshold, e.Unit))
}

// Evidence lists every clause with what it saw, in page order.
func (r *Result) Evidence() []store.Evidence {
	out := make([]store.Evidence, len(r.seen))
	for i := range r.seen {
		out[i] = r.Signature.clauses[i].evidence(&r.seen[i], r.At)
	}
	return out
}

func (c *clause) evidence(o *observation, now time.Time) store.Evidence {
	e := store.Evidence{
		Clause: c.id, Group: c.group, Form: c.form, Says: c.says, Signal: c.fact, Instance: o.instance, Label: o.label,
		Text: o.text, Unit: c.unit, WindowS: float64(c.over), Stat: string(c.stat), Verdict: o.verdict, See: c.see, Compare: "≥",
	}
	if c.fact != "" {
		e.Compare, e.ThreshTxt = "is", strings.Join(c.is, " or ")
		if len(c.isNot) > 0 {
			e.Compare, e.ThreshTxt = "is not", strings.Join(c.isNot, " or ")
		}
	} else if c.seconds == nil {
		e.Signal = c.signal.Name()
	}
	if c.fact == "" && !c.above {
		e.Compare = "≤"
	}
	if o.hasValue {
		v := o.value
		e.Observed = &v
	}
	if o.hasThr {
		v := o.threshold
		e.Threshold = &v
	}
	if o.hasUsual {
		v := o.usual
		e.Usual = &v
	}
	if o.overridden {
		byDefault, set, library := o.byDefault, o.set, c.threshold.number()
		e.Default, e.Set, e.Library = &byDefault, &set, &library
	}
	if o.sec != 0 && o.verdict != store.Unknown {
		at := time.Unix(o.sec, 0).UTC()
		e.At = &at
	}
	if o.verdict == store.Unknown {
		e.Why = c.why(o)
	}
	e.Says = c.fill(c.says, o, e)
	return e
}

func (c *clause) why(o *observation) string {
	name := c.fact
	if name == "" {
		name = c.signal.Name()
	}
	if c.seconds != nil {
		return "one of the clauses whose seconds it counts is not known"
	}
	switch o.why {
	case noInstance:
		return "the cluster has no such instance"
	case noUsual:
		return fmt.Sprintf("what is usual is not known yet: %s needs %s of data", name, store.BaselineMin)
	case noLimit:
		return fmt.Sprintf("%s is not known; set disk limits in the configuration", c.threshold.of.Name())
	case estimated:
		return fmt.Sprintf("%s is estimated from pg_stat_statements, which leaves out what commits wait for", name)
	case tooFew:
		return fmt.Sprintf("no reading of %s in the last %d s", name, c.over)
	}
	if c.fact != "" {
		return "nobody read " + name
	}
	return fmt.Sprintf("%s is not measured here; it comes from %s", name, strings.Join(sources(c.signal), " or "))
}

// sources names where a signal can come from, for a person: a recording is not
// something to configure.
func sources(id store.SignalID) []string {
	var out []string
	for _, s := range id.Info().Sources {
		if s != "replay" {
			out = append(out, s)
		}
	}
	return out
}

// waivedSummary is the key of the sentence for a match in which a clause was left
// out because nobody measures it.
const waivedSummary = "unmeasured"

// Summary is the verdict sentence for the severity or form that holds.
func (r *Result) Summary() string {
	text := r.Signature.summary["default"]
	keys := []string{r.Form, string(r.Severity)}
	if r.Waived {
		keys = append(keys, waivedSummary)
	}
	for _, key := range keys {
		if t := r.Signature.summary[key]; t != "" {
			text = t
		}
	}
	pairs := []string{"{cluster}", r.Ref.Cluster, "{instance}", r.Ref.Instance, "{primary}", orElse(r.primary, "the primary")}
	for i, c := range r.Signature.clauses {
		o := &r.seen[i]
		for _, f := range []string{"value", "number", "threshold", "limit", "usual", "label", "text"} {
			pairs = append(pairs, "{"+c.id+"."+f+"}", c.field(f, o))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (c *clause) field(name string, o *observation) string {
	switch name {
	case "value":
		return quantity(o.value, o.hasValue, c.unit)
	case "number":
		return quantity(o.value, o.hasValue, "")
	case "limit":
		return quantity(o.threshold, o.hasThr, "")
	case "threshold":
		return quantity(o.threshold, o.hasThr, c.unit)
	case "usual":
		return quantity(o.usual, o.hasUsual, c.unit)
	case "label":
		return orElse(o.label, "unknown")
	}
	return orElse(o.text, "unknown")
}

func (c *clause) fill(text string, o *observation, e store.Evidence) string {
	if !strings.Contains(text, "{") {
		return text
	}
	pairs := []string{"{instance}", orElse(e.Instance, "it")}
	for _, f := range []string{"value", "number", "threshold", "limit", "usual", "label", "text"} {
		pairs = append(pairs, "{"+f+"}", c.field(f, o))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func quantity(v float64, ok bool, unit string) string {
	if !ok {
		return "unknown"
	}
	return store.Quantity(v, unit)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Primary is the instance that the cluster's clauses were asked of; "" when there
// is none.
func (r *Result) Primary() string { return r.primary }
