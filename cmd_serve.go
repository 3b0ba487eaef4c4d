package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"stallbook/server"
	"stallbook/server/config"
)

type serveCmd struct {
	configFlag
	Listen string `placeholder:"ADDR" help:"Address to listen on, host:port; replaces the file's."`
	logFlags
}

// Help is shown by serve --help.
func (serveCmd) Help() string {
	return "SIGHUP reads the configuration again: clusters, thresholds, mute windows and runbooks change without a restart. " +
		"A file with a problem is refused as a whole, and the log says why. SIGINT and SIGTERM end the service."
}

// Run serves until the program is told to stop.
func (c serveCmd) Run(ctx context.Context, term *terminal) error {
	load := func() (*config.Config, error) { return c.configured(term) }
	cfg, err := load()
	if err != nil {
		return err
	}
	v, _ := buildVersion()
	return server.Serve(ctx, server.Options{
		Config: cfg, Version: v, Log: c.logger(term.Err), Reload: onHangup(ctx, load),
		Ready: func(url string) { fmt.Fprintf(term.Out, "stallbook %s serves %s\n", v, url) },
	})
}

// configured is the file with the flags put in, checked as one.
func (c serveCmd) configured(term *terminal) (*config.Config, error) {
	cfg, err := c.load(term)
	if err != nil {
		return nil, err
	}
	if c.Listen != "" {
		cfg.Listen = c.Listen
	}
	if err := cfg.CheckListen(); err != nil {
		return nil, usageError{err}
	}
	return cfg, nil
}

// onHangup hands over load for every SIGHUP until ctx ends. Signals that come
// while one waits are one reload.
func onHangup(ctx context.Context, load func() (*config.Config, error)) <-chan func() (*config.Config, error) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	out := make(chan func() (*config.Config, error))
	go func() {
		defer signal.Stop(hangups)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
			}
			select {
			case <-ctx.Done():
				return
			case out <- load:
			}
		}
	}()
	return out
}

// logFlags say how the program logs.
type logFlags struct {
	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"Least level to log: debug, info, warn, error (default info)."`
	LogFormat string     `enum:"text,json" default:"text" placeholder:"text|json" help:"Format of the log on standard error (default text)."`
}

func (f logFlags) logger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: f.LogLevel}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
