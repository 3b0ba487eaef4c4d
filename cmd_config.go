package main

import (
	"stallbook/server/config"
)

// configFlag is shared by the commands that need the configuration.
type configFlag struct {
	Config string `short:"c" required:"" placeholder:"FILE" help:"Configuration file, see docs/configuration.md."`
}

// load reads and checks the file.
func (f configFlag) load(term *terminal) (*config.Config, error) {
	cfg, err := config.Load(f.Config, term.Env)
	if err != nil {
		return nil, usageError{err}
	}
	return cfg, nil
}
