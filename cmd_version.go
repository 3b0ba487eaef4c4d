package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the linker (see the Makefile); a plain
// `go build` or `go install` leaves them to the build information.
var version, commit string

type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(term *terminal) error {
	v, c := buildVersion()
	fmt.Fprintf(term.Out, "stallbook %s, commit %s, %s %s/%s\n", v, c, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

func buildVersion() (v, c string) {
	v, c = version, commit
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && c == "" {
				c = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "development"
	}
	if c == "" {
		c = "unknown"
	}
	return v, c
}
