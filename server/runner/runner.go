package runner

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
)

// Limits of one run.
const (
	statementTime = 5 * time.Second
	lockTime      = 100 * time.Millisecond
	// wholeTime covers connecting, the statement and reading the answer.
	wholeTime = 8 * time.Second
	maxRows   = 200
	maxCell   = 4 << 10 // bytes
	// maxMessage bounds one row as the server sends it, before cells are cut.
	maxMessage = 16 << 20
)

// Options wire a Runner.
type Options struct {
	Library func() *runbooks.Library
	// DSN is where to connect for an instance; its error is for a person.
	DSN    func(store.Ref) (string, error)
	Keeper Keeper
	Now    func() time.Time
}

// Keeper keeps what was run.
type Keeper interface {
	SaveRun(store.StepRun) error
}

// Request asks for one step.
type Request struct {
	Runbook, Step string
	Ref           store.Ref     // the instance that the page is about
	Target        store.Ref     // where the statement runs; zero = Ref
	Vars          runbooks.Vars // fill the statement
	Incident      string
	Who           string
}

// Runner executes check steps, one at a time on each server.
type Runner struct {
	o Options

	mu    sync.Mutex
	turns map[store.Ref]chan struct{} // held by the check that runs there
}

// New returns a Runner.
func New(o Options) *Runner { return &Runner{o: o, turns: map[store.Ref]chan struct{}{}} }

// Run executes a check and keeps the run. A check that could not run is a run
// too, with result unknown and a sentence that says what is missing; the error
// is a store.Problem for a request that makes no sense, or a check under way. A
// run that can't be kept is answered all the same, and says so.
func (r *Runner) Run(ctx context.Context, req Request) (store.StepRun, error) {
	step, err := r.step(req)
	if err != nil {
		return store.StepRun{}, err
	}
	target := req.Target
	if target == (store.Ref{}) {
		target = req.Ref
	}
	release, ok := r.take(ctx, target)
	if !ok {
		return store.StepRun{}, &store.Problem{Code: "conflict", Message: "Other checks are running on " + target.String() + "; try again when they are done."}
	}
	defer release()
	run := store.StepRun{
		ID: rand.Text(), Runbook: req.Runbook, Step: req.Step, Cluster: req.Ref.Cluster, Instance: req.Ref.Instance,
		Incident: req.Incident, Who: req.Who, At: r.o.Now().UTC(), Result: store.ResultUnknown,
	}
	begun := r.o.Now()
	r.execute(ctx, step, target, req.Vars, &run)
	run.Took = r.o.Now().Sub(begun)
	if err := r.o.Keeper.SaveRun(run); err != nil {
		run.Says += " This run is not kept: the history can't be written now."
	}
	return run, nil
}

func (r *Runner) step(req Request) (runbooks.Step, error) {
	book, ok := r.o.Library().Get(req.Runbook)
	if !ok {
		return runbooks.Step{}, &store.Problem{Code: "not_found", Message: "There is no runbook " + req.Runbook + "."}
	}
	for _, s := range book.Steps {
		if s.ID != req.Step {
			continue
		}
		if s.Kind != runbooks.Check || s.SQL == "" || s.Expect == nil {
			return s, &store.Problem{Code: "invalid", Message: "Step " + s.ID + " is no check that runs; it is shown filled in and not run."}
		}
		return s, nil
	}
	return runbooks.Step{}, &store.Problem{Code: "not_found", Message: "Runbook " + req.Runbook + " has no step " + req.Step + "."}
}

// take waits for its turn on a server, as long as one run may take: two people
// who press at once both get an answer, and the server never more than one check.
func (r *Runner) take(ctx context.Context, ref store.Ref) (release func(), ok bool) {
	r.mu.Lock()
	turn := r.turns[ref]
	if turn == nil {
		turn = make(chan struct{}, 1)
		r.turns[ref] = turn
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, true
	case <-ctx.Done():
		return nil, false
	}
}

// execute fills the statement in, asks the server and judges the answer.
func (r *Runner) execute(ctx context.Context, step runbooks.Step, target store.Ref, vars runbooks.Vars, run *store.StepRun) {
	sql, missing := runbooks.Fill(step.SQL, vars)
	if len(missing) > 0 {
		run.Says = "Not run: it is not known here what to fill in for " + strings.Join(missing, ", ") + "."
		return
	}
	if err := runbooks.ReadOnly(sql); err != nil {
		run.Says = "Not run: " + err.Error() + "."
		return
	}
	dsn, err := r.o.DSN(target)
	if err != nil {
		run.Says = "Not run: " + sentence(err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	cfg, err := config(dsn, vars)
	if err != nil {
		run.Says = explain(err, step, target, login{})
		return
	}
	answer, more, err := ask(ctx, cfg, step, sql, vars)
	if err != nil {
		run.Says = explain(err, step, target, login{cfg.User, cfg.Database})
		return
	}
	run.Columns, run.Rows, run.More = answer.Columns, shown(answer), more
	run.Result, run.Says = step.Expect.Judge(answer, vars)
}

// shown turns NULL into a dash.
func shown(a runbooks.Answer) [][]string {
	rows := make([][]string, len(a.Rows))
	for i, row := range a.Rows {
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = "–"
			if cell != nil {
				rows[i][j] = *cell
			}
		}
	}
	return rows
}
