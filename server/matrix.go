package server

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"stallbook/runbooks"
	"stallbook/server/source/replay"
	"stallbook/store"
)

// Reached is the most that a signature came to on a recording.
type Reached string

// In rising order.
const (
	Quiet   Reached = "quiet"   // something always spoke against it
	Unknown Reached = "unknown" // at times only missing data stood between it and a match
	Match   Reached = "match"   // it matched for its hold time
)

// Row is one recording judged by every signature.
type Row struct {
	Fixture   string
	Reached   map[string]Reached // by slug
	Incidents []store.Incident   // what opened, in order
}

// Matrix plays every recording of the library and judges it by every signature,
// so that an overlap between two runbooks shows in review.
func Matrix(ctx context.Context, lib *runbooks.Library, problem func(file string, p store.LineProblem)) ([]Row, error) {
	var rows []Row
	for _, name := range lib.Fixtures() {
		f, err := lib.OpenFixture(name)
		if err != nil {
			return nil, fmt.Errorf("fixture %s: %w", name, err)
		}
		row, err := judgeFixture(ctx, lib, ReplayFile{name, f}, problem)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("fixture %s: %w", name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func judgeFixture(ctx context.Context, lib *runbooks.Library, f ReplayFile, problem func(string, store.LineProblem)) (Row, error) {
	row := Row{Fixture: f.Name, Reached: map[string]Reached{}}
	for _, slug := range lib.Slugs() {
		row.Reached[slug] = Quiet
	}
	id := 0
	v := newVirtual(ReplayOptions{Library: lib}, &id)
	v.ticked = func() {
		v.matcher.Each(func(_ store.Ref, slug string, verdict store.MatchVerdict, held bool) {
			switch {
			case held:
				row.Reached[slug] = Match
			case verdict == store.Possible && row.Reached[slug] == Quiet:
				row.Reached[slug] = Unknown
			}
		})
	}
	err := replay.Play(ctx, []replay.File{{Name: f.Name, R: f.R}}, replay.Options{Problem: problem}, func(b store.Batch) error {
		v.take(b)
		return nil
	})
	v.tick()
	row.Incidents = v.list()
	return row, err
}

// Failures compares a row with what the runbooks say their fixtures must do.
func (r Row) Failures(lib *runbooks.Library) []string {
	var out []string
	for _, book := range lib.List() {
		for _, fx := range book.Fixtures {
			if fx.Name == r.Fixture && !r.Reached[book.Slug].meets(fx.Expect) {
				out = append(out, fmt.Sprintf("%s on %s: expected %s, got %s", book.Slug, r.Fixture, fx.Expect, r.Reached[book.Slug]))
			}
		}
	}
	return out
}

// meets compares with what a fixture expects: quiet means that it never matched,
// also where that is so because something was not measured.
func (r Reached) meets(expect string) bool {
	if expect == runbooks.ExpectQuiet {
		return r != Match
	}
	return string(r) == expect
}

// WriteMatrix prints the rows as a table for people and for a golden file.
func WriteMatrix(w io.Writer, rows []Row) error {
	for _, r := range rows {
		slugs := make([]string, 0, len(r.Reached))
		for s := range r.Reached {
			slugs = append(slugs, s)
		}
		slices.Sort(slugs)
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n", r.Fixture)
		for _, s := range slugs {
			fmt.Fprintf(&b, "  %-20s %s\n", s, r.Reached[s])
		}
		for _, in := range r.Incidents {
			fmt.Fprintf(&b, "  opened %s %s on %s, %s\n", in.OpenedAt.UTC().Format("15:04:05"), in.Runbook, in.Instance, in.Severity)
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
