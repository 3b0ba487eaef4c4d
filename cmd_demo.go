package main

import (
	"context"
	"fmt"

	"stallbook/server"
	"stallbook/server/config"
)

type demoCmd struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Loopback address to listen on (default 127.0.0.1:8080)."`
	Live   bool   `help:"Start a real primary and standby instead, with buttons that stall them."`
	logFlags
}

// Help is shown by demo --help.
func (demoCmd) Help() string {
	return "Plays the recordings built into the program as live clusters; the first incident opens within a minute. " +
		"Its files are in a temporary folder that is removed at the end.\n\n" +
		"With --live it starts PostgreSQL servers of its own, which takes server programs: Debian's postgresql package, " +
		"npm ci in the repository, or STALLBOOK_PG_BIN naming the folder that holds initdb. They are removed at the end."
}

// Run serves the demo until the program is told to stop.
func (c demoCmd) Run(ctx context.Context, term *terminal) error {
	if err := (&config.Config{Listen: c.Listen}).CheckListen(); err != nil {
		return usageError{err}
	}
	v, _ := buildVersion()
	o := server.DemoOptions{Listen: c.Listen, Version: v, Log: c.logger(term.Err), Ready: func(url string) {
		fmt.Fprintf(term.Out, "\n  The demo is at %s\n  Ctrl-C ends it and removes its files.\n\n", url)
	}}
	if c.Live {
		o.Starting = func() {
			fmt.Fprintln(term.Out, "Starting a primary and a synchronous standby; this takes some seconds.")
		}
		return server.DemoLive(ctx, o)
	}
	return server.Demo(ctx, o)
}
