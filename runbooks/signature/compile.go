package signature

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"stallbook/store"
	"stallbook/store/strict"
)

// maxOver is the longest window of a clause: what the Window keeps.
const maxOver = (store.WindowSeconds - 32) * time.Second

// Compile reads a signature.yaml. name is the file's name as errors show it,
// its folder is the slug. The error is strict.Problems with every problem.
func Compile(name string, data []byte) (*Signature, error) {
	var f fileYAML
	if err := strict.Decode(name, data, &f); err != nil {
		return nil, err
	}
	c := &compiler{file: name, lines: scalarLines(data), ids: map[string]bool{}}
	s := c.signature(&f)
	if len(c.found) > 0 {
		return nil, c.found
	}
	return s, nil
}

type compiler struct {
	file  string
	lines map[string]int
	ids   map[string]bool
	found strict.Problems
}

// scalarLines finds the line on which a text first stands, so that a problem
// found after decoding still names its line.
func scalarLines(data []byte) map[string]int {
	lines := map[string]int{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if _, ok := lines[n.Value]; !ok && n.Kind == yaml.ScalarNode {
			lines[n.Value] = n.Line
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) == nil {
		walk(&doc)
	}
	return lines
}

// fail reports a problem at the line where text at stands.
func (c *compiler) fail(at, format string, args ...any) {
	c.found = append(c.found, strict.Problem{File: c.file, Line: max(1, c.lines[at]), Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) signature(f *fileYAML) *Signature {
	s := &Signature{
		Slug: slugOf(c.file), Role: store.Role(f.Role), Severity: store.Severity(f.Severity),
		Hold: f.Hold, Release: f.Release, Explains: f.Explains, Fallback: f.Fallback, summary: f.Summary,
	}
	if f.Version != 1 {
		c.fail("version", "version must be 1, not %d", f.Version)
	}
	if f.Role == "any" {
		s.Role = store.RoleUnknown
	} else if !slices.Contains([]string{"primary", "standby"}, f.Role) {
		c.fail("role", "role %q is none of primary, standby, any", f.Role)
	}
	if s.Severity.Rank() == 0 {
		c.fail("severity", "severity %q is none of outage, stall, degraded, risk", f.Severity)
	}
	if s.Release == 0 {
		s.Release = 30 * time.Second
	}
	for i := range f.When.All {
		c.add(s, &f.When.All[i], store.GroupAll, "")
	}
	s.nAll = len(s.clauses)
	for i := range f.When.Any {
		c.form(s, &f.When.Any[i])
	}
	for i := range f.When.None {
		c.add(s, &f.When.None[i], store.GroupNone, "")
	}
	for i := range f.Escalate {
		c.escalation(s, &f.Escalate[i])
	}
	if s.nAll+len(s.forms) == 0 {
		c.fail("when", "when needs at least one clause in all or one form in any")
	}
	c.references(s, f)
	s.Specific = s.nAll
	for _, fm := range s.forms {
		s.Specific = max(s.Specific, s.nAll+len(fm.clauses))
	}
	c.checkSummary(s)
	return s
}

func slugOf(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 2 {
		return strings.TrimSuffix(parts[0], ".yaml")
	}
	return parts[len(parts)-2]
}

func (c *compiler) form(s *Signature, y *formYAML) {
	fm := form{name: y.Form, says: y.Says, together: y.Together}
	if y.Form == "" {
		c.fail("any", "each entry of any needs `form:`, a short name")
	}
	for i := range y.All {
		fm.clauses = append(fm.clauses, len(s.clauses))
		c.add(s, &y.All[i], store.GroupForm, y.Form)
	}
	if len(fm.clauses) == 0 {
		c.fail(y.Form, "form %q has no clauses", y.Form)
	}
	s.forms = append(s.forms, fm)
}

func (c *compiler) escalation(s *Signature, y *escalateYAML) {
	e := escalation{to: store.Severity(y.To)}
	if e.to.Rank() == 0 {
		c.fail(y.To, "escalate to %q is none of outage, stall, degraded, risk", y.To)
	}
	for i := range y.All {
		e.clauses = append(e.clauses, len(s.clauses))
		c.add(s, &y.All[i], store.GroupEscalate, y.To)
	}
	if len(e.clauses) == 0 {
		c.fail(y.To, "escalation to %q has no clauses", y.To)
	}
	s.steps = append(s.steps, e)
}

func (c *compiler) add(s *Signature, y *clauseYAML, g store.Group, form string) {
	cl := c.clause(y)
	cl.group, cl.form = g, form
	s.needsMax = max(s.needsMax, int(cl.over))
	s.clauses = append(s.clauses, cl)
}

func (c *compiler) clause(y *clauseYAML) *clause {
	cl := &clause{id: y.ID, says: y.Says, on: y.On, over: int64(y.Over / time.Second), see: y.See, points: max(1, y.Points), is: y.Is, isNot: y.IsNot, fact: y.Fact, cause: y.Cause, labelNot: y.LabelNot}
	if y.ID == "" || strings.ContainsAny(y.ID, " .{}") {
		c.fail(y.Says, "a clause needs an id of letters, digits and dashes, not %q", y.ID)
	}
	if c.ids[y.ID] {
		c.fail(y.ID, "clause id %q is used twice", y.ID)
	}
	c.ids[y.ID] = true
	if y.Says == "" {
		c.fail(y.ID, "clause %q needs `says`, a sentence for a person", y.ID)
	}
	if !slices.Contains([]string{"", "primary", "standbys"}, y.On) {
		c.fail(y.On, "clause %q: on %q is none of primary, standbys; leave it out for the instance itself", y.ID, y.On)
	}
	if y.IfUnknown != "" {
		cl.waive = store.Severity(y.IfUnknown)
		if cl.waive.Rank() == 0 {
			c.fail(y.IfUnknown, "clause %q: if_unknown %q is no severity", y.ID, y.IfUnknown)
		}
	}
	if y.LabelIs != nil {
		cl.labelIs = &condition{c.signal(y.ID, y.LabelIs.Signal), y.LabelIs.Above}
	}
	switch {
	case y.Seconds != nil && y.Signal == "" && y.Fact == "" && y.Events == nil:
		cl.seconds = &seconds{slack: int64(y.Seconds.Slack / time.Second), decisive: -1}
		c.numberClause(y, cl)
	case y.Seconds != nil:
		c.fail(y.ID, "clause %q: seconds is about other clauses and takes no signal, fact or events", y.ID)
	case y.Fact != "" && y.Signal == "" && y.Events == nil:
		c.factClause(y)
	case y.Signal != "" && y.Fact == "" && y.Events == nil:
		cl.signal = c.signal(y.ID, y.Signal)
		c.numberClause(y, cl)
	case y.Events != nil && y.Signal == "" && y.Fact == "":
		c.eventsClause(y, cl)
		c.numberClause(y, cl)
	default:
		c.fail(y.ID, "clause %q needs exactly one of signal, fact, events, seconds", y.ID)
	}
	return cl
}

func (c *compiler) factClause(y *clauseYAML) {
	if !strings.HasPrefix(y.Fact, "pg.") && !strings.HasPrefix(y.Fact, "rds.") {
		c.fail(y.Fact, "clause %q: a fact is named pg.setting.NAME, pg.… or rds.…, not %q", y.ID, y.Fact)
	}
	if (len(y.Is) == 0) == (len(y.IsNot) == 0) {
		c.fail(y.ID, "clause %q needs either is or is_not with a list of values", y.ID)
	}
	if y.Above != nil || y.Below != nil || y.Stat != "" {
		c.fail(y.ID, "clause %q is about a fact: above, below and stat are for signals", y.ID)
	}
}

func (c *compiler) numberClause(y *clauseYAML, cl *clause) {
	if cl.seconds != nil {
		cl.stat, cl.unit = statAtOnce, "s"
	} else if cl.events != nil {
		cl.stat, cl.unit = statEvents, "events"
	} else {
		cl.stat, cl.unit = stat(y.Stat), cl.signal.Info().Unit
	}
	if cl.stat == "" {
		cl.stat = statLast
	}
	if !slices.Contains([]stat{statLast, statMax, statMin, statAvg, statSum, statP50, statP90, statEvents, statAtOnce}, cl.stat) {
		c.fail(y.Stat, "clause %q: stat %q is none of last, max, min, avg, sum, p50, p90", y.ID, y.Stat)
	}
	if y.Over <= 0 || y.Over > maxOver || y.Over%time.Second != 0 {
		c.fail(y.ID, "clause %q: over must be whole seconds from 1s to %s", y.ID, maxOver)
	}
	t, clearAt := y.Above, y.ClearAbove
	cl.above = t != nil
	if y.Below != nil {
		t, clearAt = y.Below, y.ClearBelow
	}
	if (y.Above == nil) == (y.Below == nil) {
		c.fail(y.ID, "clause %q needs either above or below", y.ID)
		return
	}
	cl.threshold = c.threshold(y.ID, t)
	if clearAt != nil {
		th := c.threshold(y.ID, clearAt)
		cl.clear = &th
	}
}

func (c *compiler) eventsClause(y *clauseYAML, cl *clause) {
	e := y.Events
	cl.signal = c.signal(y.ID, e.Signal)
	if e.Above == nil || len(e.Near) == 0 || e.Within <= 0 {
		c.fail(y.ID, "clause %q: events needs signal, above, near and within", y.ID)
		return
	}
	cl.events = &events{
		signal: cl.signal, threshold: c.threshold(y.ID, e.Above),
		near: c.conditions(y.ID, e.Near), within: int64(e.Within / time.Second),
		unless: c.conditions(y.ID, e.Unless), clear: int64(e.Clear / time.Second),
	}
	if e.Steady == nil {
		return
	}
	if e.Steady.Below == nil || e.Steady.Over < 2*time.Second {
		c.fail(y.ID, "clause %q: steady needs signal, below and over of at least 2s", y.ID)
		return
	}
	cl.events.steady = &steady{c.signal(y.ID, e.Steady.Signal), c.threshold(y.ID, e.Steady.Below), int64(e.Steady.Over / time.Second / 2)}
}

func (c *compiler) conditions(id string, list []conditionYAML) []condition {
	out := make([]condition, len(list))
	for i, y := range list {
		out[i] = condition{c.signal(id, y.Signal), y.Above}
	}
	return out
}

func (c *compiler) threshold(id string, y *thresholdYAML) threshold {
	t := threshold{times: 1, plus: y.Plus, floor: y.Floor}
	if y.Times != nil {
		t.times = *y.Times
	}
	switch {
	case y.Value != nil:
		t.value = *y.Value
	case y.Of != "":
		t.kind, t.of = ofSignal, c.signal(id, y.Of)
	default:
		t.kind = ofBaseline
	}
	return t
}

func (c *compiler) signal(clause, name string) store.SignalID {
	id, ok := store.Lookup(name)
	if !ok {
		c.fail(name, "clause %q: no signal %q; the nearest is %q", clause, name, store.NearestSignal(name))
	}
	return id
}

// checkSummary makes sure that every {placeholder} can be filled.
func (c *compiler) checkSummary(s *Signature) {
	if s.summary["default"] == "" {
		c.fail("summary", "summary needs a sentence under default")
	}
	valid := []string{"cluster", "instance", "primary"}
	for _, cl := range s.clauses {
		for _, f := range []string{"value", "number", "threshold", "limit", "usual", "label", "text"} {
			valid = append(valid, cl.id+"."+f)
		}
	}
	for key, text := range s.summary {
		for _, name := range placeholders(text) {
			if !slices.Contains(valid, name) {
				c.fail(text, "summary %s: nothing fills {%s}; did you mean {%s}?", key, name, store.Nearest(name, valid))
			}
		}
	}
}

func placeholders(text string) []string {
	var out []string
	for {
		_, after, ok := strings.Cut(text, "{")
		if !ok {
			return out
		}
		name, rest, ok := strings.Cut(after, "}")
		if !ok {
			return out
		}
		out, text = append(out, name), rest
	}
}
