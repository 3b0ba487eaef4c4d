package main

import (
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/sync/errgroup"

	"stallbook/server/config"
	"stallbook/server/source/postgres"
	"stallbook/store"
)

type checkCmd struct {
	Config string `short:"c" placeholder:"FILE" xor:"what" help:"Configuration file: look at every instance in it."`
	DSN    string `name:"dsn" placeholder:"URL" xor:"what" help:"Look at this one server instead; libpq URL or keyword form."`
	JSON   bool   `name:"json" help:"Print {\"instances\":[...]}."`
}

// Help is shown by check --help.
func (checkCmd) Help() string {
	return "Connects to each instance once, reads what the service would read, and lists what the role can't see with the GRANT for it. " +
		"It changes nothing. Exits with 1 when an instance can't be watched or hides something that is watched; a missing extension alone is a hint."
}

// target is one server to look at.
type target struct {
	ref store.Ref
	dsn config.Secret
}

// checked is what was found there.
type checked struct {
	store.Ref
	postgres.Report
}

// atOnce bounds the connections a check opens together: a fleet behind one
// gateway should not notice it.
const atOnce = 8

// Run looks at every instance and prints what it found, in the file's order.
func (c checkCmd) Run(ctx context.Context, term *terminal) error {
	targets, err := c.targets(term)
	if err != nil {
		return err
	}
	found := make([]checked, len(targets))
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i, t := range targets {
		g.Go(func() error {
			found[i] = checked{t.ref, postgres.Inspect(ctx, t.dsn.Reveal())}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(term.Out)
		enc.SetIndent("", "  ")
		err = enc.Encode(struct {
			Instances []checked `json:"instances"`
		}{found})
	} else {
		printChecks(term.Out, found)
	}
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].hides() {
			return errFinding
		}
	}
	return nil
}

func (c checkCmd) targets(term *terminal) ([]target, error) {
	switch {
	case c.DSN != "":
		dsn, err := config.CheckDSN(c.DSN)
		if err != nil {
			return nil, usageError{err}
		}
		return []target{{dsn: dsn}}, nil
	case c.Config == "":
		return nil, usageError{errors.New("check needs --config FILE or --dsn URL")}
	}
	cfg, err := configFlag{c.Config}.load(term)
	if err != nil {
		return nil, err
	}
	var list []target
	for _, cl := range cfg.Clusters {
		for _, in := range cl.Instances {
			list = append(list, target{store.Ref{Cluster: cl.Name, Instance: in.Name}, in.Postgres})
		}
	}
	return list, nil
}

// hides tells whether the service would be blind or half blind there.
func (c *checked) hides() bool {
	if c.Problem != "" {
		return true
	}
	for _, m := range c.Missing {
		if !m.Optional {
			return true
		}
	}
	return false
}
