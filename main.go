// Command stallbook is a dashboard and runbook service for PostgreSQL storage
// stalls. This package holds the command line only: it reads flags and the
// configuration, turns signals into a context, and hands over to package server.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"stallbook/store/strict"
)

// Exit codes of every command.
const (
	exitOK      = 0
	exitFailure = 1 // something failed, or a finding was made
	exitUsage   = 2 // the command line or the configuration is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once, should closing down hang.
	context.AfterFunc(ctx, stop)
	term := &terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv}
	os.Exit(run(ctx, os.Args[1:], term))
}

// cli is the command line. The order here is the order of --help.
type cli struct {
	Demo     demoCmd     `cmd:"" help:"See it work now: plays recorded stalls as live clusters. Needs no arguments."`
	Serve    serveCmd    `cmd:"" help:"Run the service."`
	Check    checkCmd    `cmd:"" help:"Look at each instance once: can it be reached, what can't be seen and the GRANT for it."`
	Replay   replayCmd   `cmd:"" help:"Play recordings in virtual time and print the incidents found."`
	Record   recordCmd   `cmd:"" help:"Write a recording of live clusters."`
	Runbooks runbooksCmd `cmd:"" help:"List, lint or test runbooks."`
	Version  versionCmd  `cmd:"" help:"Print version, commit and Go version."`
}

// terminal is what a command may read, print to and ask of the environment.
type terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) (string, bool)
}

// usageError makes the program exit with exitUsage.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errFinding ends a command that worked and found something; the finding is
// printed already.
var errFinding = errors.New("finding")

// exited carries kong's wish to exit, after --help, up to run.
type exited int

func run(ctx context.Context, args []string, term *terminal) (code int) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(exited)
			if !ok {
				panic(p)
			}
			code = int(e)
		}
	}()
	parser, err := kong.New(&cli{},
		kong.Name("stallbook"),
		kong.Description("Finds PostgreSQL storage stalls while they happen and opens the runbook for them.\n\nExit codes: 0 all well, 1 a failure or a finding, 2 wrong command line or configuration."),
		kong.Writers(term.Out, term.Err),
		kong.Exit(func(c int) { panic(exited(c)) }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(term),
	)
	if err != nil {
		fmt.Fprintln(term.Err, "stallbook:", err)
		return exitFailure
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(term.Err, "stallbook: %v\nTry: stallbook --help\n", err)
		return exitUsage
	}
	return term.report(parsed.Run())
}

// report prints an error, a line each, and chooses the exit code.
func (t *terminal) report(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFinding):
		return exitFailure
	}
	if problems, ok := errors.AsType[strict.Problems](err); ok {
		fmt.Fprintln(t.Err, problems) // file:line: first, where editors look for it
		return exitUsage
	}
	fmt.Fprintf(t.Err, "stallbook: %v\n", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}
