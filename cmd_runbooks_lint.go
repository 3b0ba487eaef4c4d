package main

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"stallbook/runbooks"
	"stallbook/store/strict"
)

type lintCmd struct{ dirArg }

// Help is shown by runbooks lint --help.
func (lintCmd) Help() string {
	return "Prints what is wrong and what is missing, a line each, and exits with 1 when there is any."
}

// Run prints every problem of the files and every finding about their content.
func (c lintCmd) Run(term *terminal) error {
	lib, err := c.load()
	count := 0
	if problems, ok := errors.AsType[strict.Problems](err); ok {
		for _, p := range problems {
			fmt.Fprintln(term.Out, p.Error())
		}
		count = len(problems)
	} else if err != nil {
		return usageError{err}
	}
	for _, f := range runbooks.Lint(lib) {
		if c.Dir == "" || strings.HasPrefix(f.File, path.Clean(c.Dir)+"/") {
			fmt.Fprintln(term.Out, f)
			count++
		}
	}
	if count > 0 {
		fmt.Fprintf(term.Err, "stallbook: %d to mend\n", count)
		return errFinding
	}
	n := 0
	for _, r := range lib.List() {
		if c.mine(r) {
			n++
		}
	}
	fmt.Fprintf(term.Out, "%d runbooks, nothing to mend\n", n)
	return nil
}
