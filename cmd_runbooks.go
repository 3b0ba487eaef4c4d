package main

import (
	"fmt"
	"text/tabwriter"

	"stallbook/runbooks"
	"stallbook/server"
)

type runbooksCmd struct {
	List listCmd `cmd:"" help:"List runbooks: slug, severity, title."`
	Lint lintCmd `cmd:"" help:"Look for what is wrong or missing in runbooks."`
	Test testCmd `cmd:"" help:"Run every fixture against every signature."`
}

// dirArg is a user's folder of runbooks; without it a command means the
// built-in library.
type dirArg struct {
	Dir string `arg:"" optional:"" help:"Folder of runbooks; left out, the built-in library."`
}

// load reads the built-in library and the folder. Runbooks without a problem are
// in the library even when err is not nil.
func (a dirArg) load() (*runbooks.Library, error) {
	if a.Dir == "" {
		return server.LoadLibrary(nil)
	}
	return server.LoadLibrary([]string{a.Dir})
}

// mine tells whether the command is about this runbook.
func (a dirArg) mine(r *runbooks.Runbook) bool { return a.Dir == "" || !r.Builtin }

type listCmd struct{ dirArg }

// Run prints the runbooks, the worst severity first.
func (c listCmd) Run(term *terminal) error {
	lib, err := c.load()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(term.Out, 0, 0, 2, ' ', 0)
	for _, r := range lib.List() {
		if !c.mine(r) {
			continue
		}
		note := ""
		if r.Overrides {
			note = "  (replaces the built-in one)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", r.Slug, r.Severity, r.Title, note)
	}
	return w.Flush()
}
