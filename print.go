package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"stallbook/store"
)

// printIncidents writes incidents for a person, in the order given.
func printIncidents(out io.Writer, list []store.Incident) {
	if len(list) == 0 {
		fmt.Fprintln(out, "no incident")
	}
	for i := range list {
		in := &list[i]
		ends := "still open at the end"
		if in.ClosedAt != nil {
			ends = "for " + store.Span(in.Duration(*in.ClosedAt))
		}
		fmt.Fprintf(out, "%s  %s  %s  %s, %s\n    %s\n", in.OpenedAt.UTC().Format("2006-01-02 15:04:05Z"), in.Ref(), in.Runbook, in.Severity, ends, in.Summary)
		printEvidence(out, in.Evidence)
		for _, r := range in.Runners {
			fmt.Fprintf(out, "    runner-up: %s on %s\n", r.Runbook, r.Instance)
		}
		fmt.Fprintln(out)
	}
}

func printEvidence(out io.Writer, list []store.Evidence) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "    %s\t%s\t%s\t%s\n", e.Verdict, e.Clause, comparison(e), e.Says)
	}
	w.Flush()
}

// comparison is "1,087 ms ≥ 14.0 ms"; what was not observed is a question mark.
func comparison(e store.Evidence) string {
	seen, limit := e.Text, e.ThreshTxt
	if e.Observed != nil {
		seen = store.Quantity(*e.Observed, e.Unit)
	}
	if e.Threshold != nil {
		limit = store.Quantity(*e.Threshold, e.Unit)
	}
	if seen == "" {
		seen = "?"
	}
	if limit == "" {
		limit = "?"
	}
	return seen + " " + e.Compare + " " + limit
}
