// Package report turns an incident into what is kept of it afterwards: a report
// in Markdown that reads well unrendered, and the recording of the time around
// it. It is pure: values in, text out.
package report

import (
	"fmt"
	"strings"
	"time"

	"stallbook/store"
)

// Around is how much before and after an incident its recording holds: before it
// enough for the baselines to be known.
const (
	Before = 5 * time.Minute
	After  = time.Minute
)

// Span is the time that the recording of an incident covers.
func Span(in store.Incident, now time.Time) (from, to time.Time) {
	to = now
	if in.ClosedAt != nil {
		to = in.ClosedAt.Add(After)
	}
	return in.OpenedAt.Add(-Before), to
}

// Input is everything a report is made of.
type Input struct {
	Incident store.Incident
	Title    string // of its runbook
	Link     string // to the incident's page, "" when there is no public address
	Runs     []store.StepRun
	Events   []store.Event // of the instance, in its time
	Now      time.Time
}

// Markdown writes the report. Text that came from outside (names of tables,
// answers of servers) is escaped.
func Markdown(r Input) string {
	var b strings.Builder
	in := r.Incident
	frontMatter(&b, in)
	fmt.Fprintf(&b, "# %s\n\n", escape(in.Summary))
	fmt.Fprintf(&b, "- Runbook: %s (`%s`)\n- Where: %s/%s\n- Severity: %s, worst at %s\n- %s\n", escape(r.Title), in.Runbook,
		escape(in.Cluster), escape(in.Instance), in.Severity, clock(in.WorstAt), lasted(in, r.Now))
	if r.Link != "" {
		fmt.Fprintf(&b, "- Page: <%s>\n", r.Link)
	}
	if in.Muted != "" {
		fmt.Fprintf(&b, "- Muted: %s\n", escape(in.Muted))
	}
	evidence(&b, "Evidence at the worst moment", in.Evidence)
	for _, ru := range in.Runners {
		evidence(&b, fmt.Sprintf("Also matched: `%s` on %s, since %s", ru.Runbook, escape(ru.Instance), clock(ru.Since)), ru.Clauses)
	}
	timeline(&b, in.Timeline, r.Events)
	runs(&b, r.Runs)
	return b.String()
}

func frontMatter(b *strings.Builder, in store.Incident) {
	fmt.Fprintf(b, "---\nid: %q\ncluster: %q\ninstance: %q\nrunbook: %s\nseverity: %s\nstate: %s\nopened: %s\n",
		in.ID, in.Cluster, in.Instance, in.Runbook, in.Severity, in.State, stamp(in.OpenedAt))
	if in.ClosedAt != nil {
		fmt.Fprintf(b, "closed: %s\n", stamp(*in.ClosedAt))
	}
	b.WriteString("---\n\n")
}

func lasted(in store.Incident, now time.Time) string {
	d := in.Duration(now).Round(time.Second)
	if in.ClosedAt == nil {
		return fmt.Sprintf("Since %s, %s so far (UTC)", clock(in.OpenedAt), d)
	}
	return fmt.Sprintf("%s to %s, %s (UTC)", clock(in.OpenedAt), clock(in.LastYes), d)
}

func evidence(b *strings.Builder, head string, list []store.Evidence) {
	fmt.Fprintf(b, "\n## %s\n\n| holds | clause | observed | threshold | where | at |\n|---|---|---|---|---|---|\n", head)
	for _, e := range list {
		observed, threshold := e.Text, e.ThreshTxt
		if e.Observed != nil {
			observed = store.Quantity(*e.Observed, e.Unit)
		}
		if e.Threshold != nil {
			threshold = store.Quantity(*e.Threshold, e.Unit)
		}
		at := ""
		if e.At != nil {
			at = clock(*e.At)
		}
		if e.Verdict == store.Unknown {
			observed = "unknown: " + e.Why
		}
		fmt.Fprintf(b, "| %s | %s (`%s`) | %s | %s %s | %s | %s |\n", e.Verdict, cell(e.Says), e.Clause, cell(observed), e.Compare, cell(threshold), cell(e.Instance), at)
	}
}

func timeline(b *strings.Builder, own, around []store.Event) {
	b.WriteString("\n## Timeline (UTC)\n\n| at | what |\n|---|---|\n")
	i, j := 0, 0
	for i < len(own) || j < len(around) {
		var e store.Event
		if j == len(around) || i < len(own) && !own[i].At.After(around[j].At) {
			e, i = own[i], i+1
		} else {
			e, j = around[j], j+1
		}
		fmt.Fprintf(b, "| %s | %s |\n", clock(e.At), cell(e.Text))
	}
}

func runs(b *strings.Builder, list []store.StepRun) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Steps that were run\n\n| at | step | who | result | says |\n|---|---|---|---|---|\n")
	for _, r := range list {
		fmt.Fprintf(b, "| %s | `%s` | %s | %s | %s |\n", clock(r.At), r.Step, cell(r.Who), r.Result, cell(r.Says))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "\n", " ", "\r", " ")

func escape(s string) string { return special.Replace(s) }
func cell(s string) string   { return strings.ReplaceAll(escape(s), "|", `\|`) }
