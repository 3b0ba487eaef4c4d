// Package runbooks loads and checks the library: one folder per runbook with
// its page, its signature, its steps and its fixtures. A user's folder has the
// same shape and goes through the same loader.
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
	Hash      string      // of all its files; a run keeps it
	Reviewed  string      // date the page was last reviewed
	Versions  string      // PostgreSQL versions it speaks of
	Brief     []string    // three sentences for someone who has 60 seconds
	Sections  []Section   // symptom, why, ... in page order
	LookAlike []LookAlike // looks like it, but is not
	Signature *signature.Signature
	Steps     []Step
}

// Section is one part of the page.
type Section struct {
	ID, Title string
	HTML      string // rendered, safe
	Text      string // as written, for search
}

// LookAlike points to the page of a stall that is easily mistaken for this one.
type LookAlike struct {
	Slug string
	Says string
}

// Step kinds.
const (
	Check  = "check"
	Fix    = "fix"
	Verify = "verify"
)

// Step is one check, fix or verify.
type Step struct {
	ID           string
	Kind         string
	Title        string // a question for a check, an action for a fix
	On           string // primary, standby or instance
	SQL          string // template text of the file; {{table}} and friends are filled in
	SQLFile      string
	Text         string   // shell, YAML or prose where there is no SQL
	Needs        []string // extensions, grants, minimum version, in words
	MinVersion   int      // server_version_num / 10000
	Expect       *Expect  // how a check's result is judged
	Takes        string   // lock, wait, blast radius
	Effect       string
	Undo         string
	Precondition string
	Risk         string // read, safe, disruptive, destructive
}

// Expect judges a check: the first row's Column against Value. Pass means that
// the answer supports this runbook.
type Expect struct {
	Column string
	Op     string // =, !=, <, <=, >, >=, in, rows
	Value  string
	Pass   string // sentence, {{column}} filled in
	Fail   string
	Empty  string // sentence when no row came back; the result is then unknown unless Op is rows
}

// Library is a set of runbooks.
type Library struct {
	list []*Runbook // by slug
}
