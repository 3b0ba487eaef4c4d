package runbooks

import "embed"

// files is the built-in library. The patterns skip the Go folder signature,
// whose name is therefore no slug.
//
//go:embed */page.md */signature.yaml */steps.yaml */sql/*.sql */fixtures/*
var files embed.FS

// Builtin returns the files of the built-in library.
func Builtin() embed.FS { return files }
