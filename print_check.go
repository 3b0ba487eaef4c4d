package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// printChecks writes each instance for a person: what it is, then what it hides,
// grouped by what mends it, so that one GRANT stands there once.
func printChecks(out io.Writer, list []checked) {
	for i := range list {
		c := &list[i]
		name := c.Address
		if c.Cluster != "" {
			name = c.Ref.String() + " at " + c.Address
		}
		if c.Problem != "" {
			fmt.Fprintf(out, "%s\n  can't be watched: %s\n", name, c.Problem)
			continue
		}
		fmt.Fprintf(out, "%s\n  %s %s, %s, as %s in database %s; one reading took %.1f ms\n",
			name, cmp.Or(c.Product, "PostgreSQL"), c.Version, cmp.Or(string(c.Role), "role unknown"), c.User, c.Database, c.PollMs)
		printMissing(out, c, false, "can't see")
		printMissing(out, c, true, "without")
		for _, n := range c.Notes {
			fmt.Fprintf(out, "  note: %s\n", n)
		}
		if len(c.Missing) == 0 && len(c.Notes) == 0 {
			fmt.Fprintln(out, "  sees everything")
		}
	}
}

func printMissing(out io.Writer, c *checked, optional bool, word string) {
	var mends []string
	what := map[string][]string{}
	for _, m := range c.Missing {
		if m.Optional != optional {
			continue
		}
		if what[m.Mend] == nil {
			mends = append(mends, m.Mend)
		}
		what[m.Mend] = append(what[m.Mend], m.What)
	}
	for _, mend := range mends {
		fmt.Fprintf(out, "  %s: %s\n    %s\n", word, strings.Join(what[mend], "; "), mend)
	}
}
