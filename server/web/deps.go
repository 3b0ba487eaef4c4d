// Package web serves the pages and the API: chi routes, one handler a file,
// view models, server-sent events and the one map from errors to status codes.
// It evaluates nothing and queries no monitored server on a page's path: it
// shows what the Window, the matcher and the history already hold.
package web

import (
	"context"
	"time"

	"stallbook/runbooks"
	"stallbook/server/live"
	"stallbook/store"
)

// Deps is everything the pages read. Each interface is small and declared here,
// by its consumer; package server wires the real ones, tests wire fakes.
type Deps struct {
	Window    *store.Window
	Matcher   Matcher
	Incidents Incidents
	History   History
	Library   func() *runbooks.Library // a reload swaps it
	Runner    Runner
	Hub       *live.Hub
	Now       func() time.Time
	Site      Site
	Demo      DemoControl // nil outside demo --live
	// Settings says what is kept and what is asked of AWS; nil where there is
	// nothing to say, as in a demo of recordings.
	Settings func() Settings
}

// Settings is what the page of that name shows beside the history's own health.
type Settings struct {
	Retention store.Retention
	Clouds    []Cloud
}

// Cloud is one AWS account and region.
type Cloud struct {
	Place string // eu-west-1, or eu-west-1 as a role
	Over  time.Duration
	Calls []Call
	Refs  []store.Ref // instances read there
}

// Call is how often one IAM action was used.
type Call struct {
	Action    string // rds:DescribeDBInstances
	Feature   string // what it brings, a noun phrase
	Requests  int64
	Throttled int64
	Metrics   int64 // metrics asked for, which is what CloudWatch charges for
	Denied    bool
}

// Site is how this installation is reached and named.
type Site struct {
	BasePath  string   // "" or "/stallbook"
	PublicURL string   // for links that leave the program, without a trailing slash
	Hosts     []string // Host headers accepted besides loopback names
	Version   string
	Mode      string // "serve", "demo" or "demo --live"; the bar shows the demo ones
	Muted     func(cluster string, at time.Time) (why string, muted bool)
}

// Matcher gives the judgement of the latest tick, and of a past one.
type Matcher interface {
	// Diagnoses returns every signature as judged on ref in the latest tick,
	// nearest first, and the time of that tick.
	Diagnoses(ref store.Ref) (at time.Time, list []store.Diagnosis)
	// DiagnosesAt judges a past second from the history.
	DiagnosesAt(ctx context.Context, ref store.Ref, at time.Time) ([]store.Diagnosis, error)
}

// Incidents lists incidents, newest first.
type Incidents interface {
	Incidents(ctx context.Context, f store.IncidentFilter) ([]store.Incident, error)
	// Incident returns one; store.ErrNotFound when there is none.
	Incident(ctx context.Context, id string) (store.Incident, error)
}

// History is what was kept on disk.
type History interface {
	// Range returns a series between from and to in at most points buckets (0 =
	// every stored second) that keep minimum and maximum; stretches without data
	// are buckets with Gap set. Derived signals are computed.
	Range(ctx context.Context, ref store.Ref, signal, label string, from, to time.Time, points int) (step time.Duration, buckets []store.Bucket, err error)
	Events(ctx context.Context, ref store.Ref, from, to time.Time) ([]store.Event, error)
	Runs(ctx context.Context, incident string, ref store.Ref, limit int) ([]store.StepRun, error)
	Run(ctx context.Context, id string) (store.StepRun, error)
	// Recent returns the kept batches of a cluster, ascending.
	Recent(ctx context.Context, from, to time.Time, cluster string) ([]store.Batch, error)
	Health() store.HistoryHealth
}

// Runner executes a check step, read-only, and keeps the run.
type Runner interface {
	Run(ctx context.Context, req RunRequest) (store.StepRun, error)
}

// RunRequest asks for one step on one instance, with the values that the page
// showed: what is run is what was read.
type RunRequest struct {
	Runbook, Step string
	Ref           store.Ref     // the page's instance; the run is kept under it
	Target        store.Ref     // where the statement runs; zero = Ref
	Vars          runbooks.Vars // fill the statement
	Incident      string
	Who           string
}

// DemoControl makes the harmless stalls of demo --live.
type DemoControl interface {
	Actions() []DemoAction
	Do(ctx context.Context, id string) error
}

// DemoAction is one button of the live demo.
type DemoAction struct {
	ID, Title, Says string
	Busy            bool
}
