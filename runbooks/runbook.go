// Package runbooks loads and checks the library: one folder per runbook with
// its page, its signature, its steps and its fixtures. A user's folder has the
// same shape and goes through the same loader. It reads files and judges what a
// check answered; it connects to nothing.
//
// A runbook is a folder named by its slug:
//
//	page.md         front matter (title, severity, tags, reviewed, versions,
//	                brief, looks_like), then one "## Heading" per section
//	signature.yaml  when this page is the right one, see package signature
//	steps.yaml      checks, fixes and verifies in order, see Step
//	sql/NAME.sql    read by steps; each runs in psql as it stands unless it
//	                holds a {{variable}}, see Fill
//	fixtures/       recordings, and expect.yaml that says what each must give
//
// A check's SQL takes the table that is looked at from the settings
// stallbook.schema and stallbook.table, which are absent in psql until someone
// sets them: current_setting('stallbook.table', true) is then NULL and the
// statement finds its tables by itself.
package runbooks

import (
	"stallbook/runbooks/signature"
	"stallbook/store"
)

// Runbook is one page with everything that belongs to it.
type Runbook struct {
	Slug      string
	Title     string
	Severity  store.Severity
	Tags      []string
	Builtin   bool
	Overrides bool        // a user's folder that replaces a built-in of the same slug
	Hash      string      // of page, signature, steps and SQL; a run keeps it
	Reviewed  string      // date the page was last reviewed, 2026-12-01
	Versions  string      // PostgreSQL versions it speaks of
	Brief     []string    // three sentences for someone who has 60 seconds
	Sections  []Section   // in page order; the ids of the usual ones are symptom, is-it-this, why, stop, fix, verify, undo, escalate, prevent, sources
	LookAlike []LookAlike // looks like it, but is not
	Signature *signature.Signature
	Steps     []Step
	Fixtures  []Fixture

	from string // its folder as errors name it
	sql  []string
}

// Step returns the step with that id.
func (r *Runbook) Step(id string) (Step, bool) {
	for _, s := range r.Steps {
		if s.ID == id {
			return s, true
		}
	}
	return Step{}, false
}

// Section is one part of the page.
type Section struct {
	ID, Title string
	HTML      string // rendered, safe
	Text      string // as written, for search
}

// LookAlike points to the page of a stall that is easily mistaken for this one.
type LookAlike struct {
	Slug string `yaml:"slug"`
	Says string `yaml:"says"`
}

// Step kinds.
const (
	Check  = "check"
	Fix    = "fix"
	Verify = "verify"
)

// Where a step runs.
const (
	OnPrimary  = "primary"
	OnStandby  = "standby"
	OnInstance = "instance" // the one that is looked at, whatever its role
)

// Step is one check, fix or verify.
type Step struct {
	ID           string
	Kind         string
	Title        string // a question for a check, an action for a fix
	On           string // primary, standby or instance
	SQL          string // template text of the file; {{table|ident}} and friends are filled in
	SQLFile      string
	Text         string   // shell, YAML or prose: where there is no SQL, or for other platforms beside it
	Needs        []string // extensions, grants, settings, each a sentence that says how to get it
	MinVersion   int      // server_version_num / 10000; 0 = any
	Extension    string   // whose functions or views the SQL uses; "" = none
	Expect       *Expect  // how the result of a check or verify is judged
	Takes        string   // lock, wait, blast radius
	Effect       string
	Undo         string
	Precondition string
	Risk         string // read, safe, disruptive, destructive
	Verify       string // of a fix: id of the verify step that shows whether it worked
}

// Expect judges an answer: the first row's Column against Value. Pass means
// that the answer supports this runbook (check) or that the fix worked (verify).
// In the sentences {{column}} is that column of the first row and {{rows}} the
// number of rows.
type Expect struct {
	Column string
	Op     string // =, !=, <, <=, >, >=, in, rows
	Value  string // for in: separated by commas; for rows: at least that many, 1 when empty
	Pass   string
	Fail   string
	Empty  string // sentence when no row came back; the result is then unknown unless Op is rows
	Hidden string // sentence when Column is NULL: what hides it and how to see it; the result is unknown
}

// Fixture is a recording with what this runbook's signature must say about it.
type Fixture struct {
	Name   string // slug/file.jsonl
	Expect string // match, quiet or unknown
}
