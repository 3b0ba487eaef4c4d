package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"stallbook/store"
	"stallbook/store/strict"
)

// Load reads and checks the file at path. env looks up what ${NAME} stands for
// (os.LookupEnv in the program). An error is a *store.Problem when the file
// can't be read, and strict.Problems, sorted by line, when it says something
// wrong.
func Load(path string, env func(string) (string, bool)) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return parse(path, data, env)
}

func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &store.Problem{Code: "not_found", Message: fmt.Sprintf("there is no configuration file %s; name one with --config", path), Cause: err}
	case errors.Is(err, fs.ErrPermission):
		return &store.Problem{Code: "forbidden", Message: fmt.Sprintf("the configuration file %s may not be read by this user", path), Cause: err}
	}
	return &store.Problem{Code: "unavailable", Message: fmt.Sprintf("the configuration file %s can't be read", path), Cause: err}
}

func parse(path string, data []byte, env func(string) (string, bool)) (*Config, error) {
	var raw file
	var found strict.Problems
	if err := strict.Decode(path, data, &raw); err != nil {
		if !errors.As(err, &found) {
			return nil, err
		}
		// Misspelt keys don't hide what is wrong elsewhere; a shape that can't
		// be decoded does.
		if yaml.Unmarshal(data, &raw) != nil || len(data) == 0 {
			return nil, found
		}
	}
	r := newReader(path, data, env, found)
	c := r.config(&raw)
	if len(r.found) > 0 {
		return nil, sorted(r.found)
	}
	return c, nil
}

func sorted(p strict.Problems) strict.Problems {
	slices.SortStableFunc(p, func(a, b strict.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return slices.Compact(p)
}
