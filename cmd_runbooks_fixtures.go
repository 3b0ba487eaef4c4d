package main

import (
	"context"
	"fmt"

	"stallbook/server"
	"stallbook/store"
)

type testCmd struct {
	dirArg
	Matrix bool `help:"Print every recording with what each signature made of it."`
}

// Help is shown by runbooks test --help.
func (testCmd) Help() string {
	return "Plays every recording of every runbook, judges it by every signature and compares that with fixtures/expect.yaml. " +
		"With DIR the built-in library is judged along, since a new signature may overlap with an old one. Exits with 1 when something is not as expected."
}

// Run prints what is not as expected.
func (c testCmd) Run(ctx context.Context, term *terminal) error {
	lib, err := c.load()
	if err != nil {
		return err
	}
	broken := 0
	rows, err := server.Matrix(ctx, lib, func(file string, p store.LineProblem) {
		fmt.Fprintf(term.Out, "%s:%d: %s\n", file, p.Line, p.Text)
		broken++
	})
	if err != nil {
		return err
	}
	if c.Matrix {
		if err := server.WriteMatrix(term.Out, rows); err != nil {
			return err
		}
	}
	failed := 0
	for _, r := range rows {
		for _, f := range r.Failures(lib) {
			fmt.Fprintln(term.Out, f)
			failed++
		}
	}
	fmt.Fprintf(term.Out, "%d recordings, %d signatures: %d not as expected, %d broken lines\n", len(rows), len(lib.Slugs()), failed, broken)
	if failed+broken > 0 {
		return errFinding
	}
	return nil
}
