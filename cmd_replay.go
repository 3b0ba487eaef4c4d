package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"stallbook/server"
	"stallbook/server/web"
	"stallbook/store"
)

type replayCmd struct {
	Files    []string `arg:"" name:"file" help:"Recordings (JSON Lines), or Enhanced Monitoring documents. A dash is standard input."`
	JSON     bool     `name:"json" help:"Print {\"incidents\":[...]}, as the API does."`
	Speed    speed    `default:"max" placeholder:"max|N" help:"Recorded seconds in one second (default max)."`
	Runbooks []string `type:"existingdir" placeholder:"DIR" help:"Folders added to the built-in library."`
}

// speed is recorded seconds in one; 0 = as fast as possible.
type speed float64

// UnmarshalText reads "max" or a number above 0.
func (s *speed) UnmarshalText(text []byte) error {
	if string(text) == "max" {
		*s = 0
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v > 0) || v > 1e6 {
		return fmt.Errorf("%q is neither max nor a number above 0", text)
	}
	*s = speed(v)
	return nil
}

// Run plays the files and prints the incidents. A broken line is reported with
// its number and the rest is played.
func (c replayCmd) Run(ctx context.Context, term *terminal) error {
	lib, err := server.LoadLibrary(c.Runbooks)
	if err != nil {
		return usageError{err}
	}
	files, closeAll, err := openAll(c.Files, term.In)
	defer closeAll()
	if err != nil {
		return usageError{err}
	}
	o := server.ReplayOptions{Library: lib, Speed: float64(c.Speed), Problem: func(file string, p store.LineProblem) {
		fmt.Fprintf(term.Err, "stallbook: %s:%d: %s; the rest is played\n", file, p.Line, p.Text)
	}}
	if c.Speed > 0 && !c.JSON {
		o.Changed = func(in store.Incident, what string) {
			fmt.Fprintf(term.Err, "%s %s: %s on %s\n", in.ID, what, in.Runbook, in.Ref())
		}
	}
	list, err := server.Replay(ctx, files, o)
	if err != nil {
		return err
	}
	if !c.JSON {
		printIncidents(term.Out, list)
		return nil
	}
	newestFirst(list)
	return web.WriteIncidents(term.Out, list)
}

func newestFirst(list []store.Incident) {
	slices.SortStableFunc(list, func(a, b store.Incident) int {
		return cmp.Or(b.OpenedAt.Compare(a.OpenedAt), cmp.Compare(b.ID, a.ID))
	})
}

// openAll opens the recordings; the name "-" stands for in.
func openAll(names []string, in io.Reader) (files []server.ReplayFile, closeAll func(), err error) {
	var open []*os.File
	closeAll = func() {
		for _, f := range open {
			f.Close()
		}
	}
	for _, name := range names {
		if name == "-" {
			files = append(files, server.ReplayFile{Name: "standard input", R: in})
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return nil, closeAll, fmt.Errorf("%s is a folder: name the recordings in it", name)
		}
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, closeAll, fmt.Errorf("there is no recording %s", name)
		}
		if err != nil {
			return nil, closeAll, fmt.Errorf("the recording can't be read: %w", err)
		}
		open = append(open, f)
		files = append(files, server.ReplayFile{Name: name, R: f})
	}
	return files, closeAll, nil
}
