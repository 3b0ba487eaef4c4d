package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"stallbook/server"
)

type recordCmd struct {
	configFlag
	Out string        `short:"o" required:"" placeholder:"FILE" help:"File to write; it must not exist. A dash is standard output."`
	For time.Duration `placeholder:"DURATION" help:"How long, such as 10m; left out, until Ctrl-C."`
	logFlags
}

// Help is shown by record --help.
func (recordCmd) Help() string {
	return "A recording is text, one reading a line (JSON Lines). It holds numbers, settings and table names; it holds no query text and no password."
}

// Run records until the time is up or the program is told to stop.
func (c recordCmd) Run(ctx context.Context, term *terminal) (err error) {
	if c.For < 0 {
		return usageError{errors.New("--for: a duration can't be negative")}
	}
	cfg, err := c.load(term)
	if err != nil {
		return err
	}
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	if c.Out == "-" {
		return server.Record(ctx, cfg, term.Out, c.logger(term.Err))
	}
	f, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usageError{fmt.Errorf("%s exists already; a recording is never overwritten", c.Out)}
	}
	if err != nil {
		return usageError{fmt.Errorf("the recording can't be written: %w", err)}
	}
	defer func() {
		if e := f.Close(); e != nil && err == nil {
			err = fmt.Errorf("the recording could not be written: %w", e)
		}
	}()
	return server.Record(ctx, cfg, f, c.logger(term.Err))
}
