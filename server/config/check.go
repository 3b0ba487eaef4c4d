package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stallbook/store"
	"stallbook/store/strict"
)

// Check compares the file's thresholds with the library: library maps each
// runbook's slug to the ids of its clauses. Load can't do this, since the
// library is known only after the file named the folders.
func (c *Config) Check(library map[string][]string) strict.Problems {
	var out strict.Problems
	for _, o := range c.thresholds {
		clauses, known := library[o.slug]
		switch {
		case !known:
			out = append(out, c.unknown(o.slugLine, "thresholds: there is no runbook", o.slug, slices.Sorted(maps.Keys(library))))
		case !slices.Contains(clauses, o.clause):
			out = append(out, c.unknown(o.clauseLine, "thresholds: "+o.slug+" has no clause", o.clause, clauses))
		}
	}
	return sorted(out)
}

func (c *Config) unknown(line int, what, word string, valid []string) strict.Problem {
	hint := "; valid here: " + strings.Join(valid, ", ")
	if near := store.Nearest(word, valid); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return strict.Problem{File: c.File, Line: line, Message: fmt.Sprintf("%s %q%s", what, word, hint)}
}
