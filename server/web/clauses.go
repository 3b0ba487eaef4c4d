package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// gaugeSpan is the factor a gauge reaches to each side of its threshold.
const gaugeSpan = 8

// clauseContext is what a table of clauses need not repeat in every row.
type clauseContext struct {
	ref    store.Ref
	judged time.Time
	form   string // the form that holds
	at     string // for links, "" for now
}

// clauseGroups is the evidence table of one signature: what must hold, the
// forms, what raises the severity, what would rule it out.
func (s *Server) clauseGroups(list []store.Evidence, x clauseContext) []views.ClauseGroup {
	var out []views.ClauseGroup
	index := map[string]int{}
	for _, e := range list {
		title := groupTitle(e, x.form)
		i, ok := index[title]
		if !ok {
			i = len(out)
			index[title] = i
			out = append(out, views.ClauseGroup{Title: title})
		}
		c := clauseView(e, x)
		if e.See != "" {
			c.SeeLabel, c.SeeHref = s.bookTitle(e.See), s.bookLink(e.See, x.ref, x.at, "")
		}
		out[i].Clauses = append(out[i].Clauses, c)
	}
	return out
}

func groupTitle(e store.Evidence, form string) string {
	switch e.Group {
	case store.GroupForm:
		name := strings.ReplaceAll(e.Form, "-", " ")
		if e.Form == form && form != "" {
			return "Form seen here: " + name
		}
		return "Form: " + name
	case store.GroupNone:
		return "Would rule it out"
	case store.GroupEscalate:
		return "Makes it worse, " + strings.ReplaceAll(e.Form, "-", " ")
	}
	return "Must hold"
}

func clauseView(e store.Evidence, x clauseContext) views.Clause {
	c := views.Clause{
		ID: e.Clause, Verdict: e.Verdict.String(), Word: capital(e.Verdict.String()), Says: e.Says,
		Detail: detail(e, x), Observed: observed(e), Threshold: threshold(e), Why: e.Why, Gauge: gaugeOf(e),
	}
	if e.At != nil {
		c.At = clock(*e.At)
	}
	if e.Default != nil {
		c.Override = "set for this cluster, library " + store.Quantity(*e.Default, e.Unit)
		if e.Set != nil && e.Library != nil && *e.Default != *e.Library { // a multiple, not the threshold itself
			c.Override = fmt.Sprintf("set to %s times for this cluster, library %s times: %s", trimmed(*e.Set), trimmed(*e.Library), store.Quantity(*e.Default, e.Unit))
		}
	}
	return c
}

// trimmed writes a multiple without trailing zeros.
func trimmed(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// detail names the signal, over what time it was read and what is usual; where
// and when only if that is not the page's instance and second.
func detail(e store.Evidence, x clauseContext) string {
	parts := []string{e.Signal}
	if e.Label != "" {
		parts[0] += " {" + e.Label + "}"
	}
	if e.Instance != "" && e.Instance != x.ref.Instance {
		parts = append(parts, "on "+e.Instance)
	}
	if w := statWords[e.Stat]; w != "" && e.WindowS > 1 && e.ThreshTxt == "" {
		parts = append(parts, fmt.Sprintf("%s of %s s", w, store.Number(e.WindowS)))
	}
	if e.Usual != nil {
		parts = append(parts, "usual "+store.Quantity(*e.Usual, e.Unit))
	}
	if e.At != nil && x.judged.Sub(*e.At).Abs() > fresh && e.ThreshTxt == "" {
		parts = append(parts, "at "+clock(*e.At))
	}
	return tied(strings.Join(parts, ", "))
}

var statWords = map[string]string{
	"avg": "mean", "min": "lowest", "max": "highest", "last": "last", "median": "median", "p50": "median", "p90": "90th percentile",
}

func observed(e store.Evidence) views.Qty {
	switch {
	case e.Text != "":
		return views.Qty{Num: e.Text}
	case e.Observed == nil:
		return views.Qty{Why: e.Why}
	}
	n, u := store.Figure(*e.Observed, e.Unit)
	return views.Qty{Num: n, Unit: u}
}

func threshold(e store.Evidence) string {
	switch {
	case e.ThreshTxt != "":
		return e.Compare + " " + e.ThreshTxt
	case e.Threshold == nil:
		return "not known"
	}
	if isWord(e.Unit) {
		return e.Compare + " " + store.Number(*e.Threshold) // the observed value beside it carries the word
	}
	return e.Compare + " " + store.Quantity(*e.Threshold, e.Unit)
}

// isWord tells a unit that counts things (sessions) from one that measures.
func isWord(unit string) bool { return len(unit) > 5 && !strings.ContainsAny(unit, "/%") }

// gaugeOf places the observed value: the middle is the threshold, the right half
// holds. What is yes or no without a number stands half way.
func gaugeOf(e store.Evidence) views.Gauge {
	if e.Verdict == store.Unknown {
		return views.Gauge{}
	}
	g := views.Gauge{Known: true, Holds: e.Verdict == store.Yes, Pos: 25}
	if g.Holds {
		g.Pos = 75
	}
	if e.Observed == nil || e.Threshold == nil {
		return g
	}
	o, t := *e.Observed, *e.Threshold
	if o > 0 && t > 0 {
		r := math.Log(o/t) / math.Log(gaugeSpan)
		if e.Compare == "≤" {
			r = -r
		}
		g.Pos = min(100, max(0, 50+50*r))
	} else if o != t && !g.Holds {
		g.Pos = 0 // a zero is infinitely far on this scale
	}
	return g
}

func pips(list []store.Evidence) []views.Pip {
	out := make([]views.Pip, 0, len(list))
	for _, e := range list {
		if e.Group == store.GroupEscalate {
			continue
		}
		out = append(out, views.Pip{Verdict: e.Verdict.String(), Rules: e.Group == store.GroupNone, Says: e.Says})
	}
	return out
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
