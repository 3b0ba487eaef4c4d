// Package migrations holds the schema of the history file, one numbered SQL file
// for each step. A file that was released is never edited: a change is a new one.
package migrations

import "embed"

// FS holds the *.sql files; package store/sqlite runs them in order of their names.
//
//go:embed *.sql
var FS embed.FS
