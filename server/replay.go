package server

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"stallbook/runbooks"
	"stallbook/server/match"
	"stallbook/server/source/replay"
	"stallbook/store"
)

// ReplayOptions say how recordings are judged.
type ReplayOptions struct {
	Library *runbooks.Library
	Speed   float64 // recorded seconds in one; 0 = as fast as possible
	// Overrides are the thresholds by cluster, runbook and clause; may be nil.
	Overrides func(cluster string) map[string]map[string]float64
	Problem   func(file string, p store.LineProblem)
	Changed   func(store.Incident, string) // while it plays; may be nil
}

// ReplayFile is one recording.
type ReplayFile struct {
	Name string
	R    io.Reader
}

// Replay plays recordings through the same Window and matcher as live data, in
// virtual time: each file on its own, so that clusters of the same name in two
// recordings do not mix. It returns the incidents in the order of their opening.
func Replay(ctx context.Context, files []ReplayFile, o ReplayOptions) ([]store.Incident, error) {
	var all []store.Incident
	lastID := 0
	for _, f := range files {
		list, err := replayOne(ctx, f, o, &lastID)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

func replayOne(ctx context.Context, f ReplayFile, o ReplayOptions, lastID *int) ([]store.Incident, error) {
	p := newVirtual(o, lastID)
	err := replay.Play(ctx, []replay.File{{Name: f.Name, R: f.R}}, replay.Options{Speed: o.Speed, Problem: o.Problem}, func(b store.Batch) error {
		p.take(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.tick()
	return p.list(), nil
}

// virtual is the pipeline without a clock and without a disk: a tick comes when
// the recorded second is over.
type virtual struct {
	window  *store.Window
	matcher *match.Matcher
	at      time.Time
	kept    map[string]store.Incident
	ticked  func() // after each tick; may be nil
}

func newVirtual(o ReplayOptions, lastID *int) *virtual {
	v := &virtual{kept: map[string]store.Incident{}, window: store.NewWindow(match.Baselines(o.Library.Signatures()))}
	v.matcher = match.New(match.Options{
		Window: v.window, Signatures: o.Library.Signatures, Overrides: o.Overrides, Publish: o.Changed,
		Titles: func(slug string) string {
			if rb, ok := o.Library.Get(slug); ok {
				return rb.Title
			}
			return slug
		},
		NextID: func() string { *lastID++; return strconv.Itoa(*lastID) },
		Keep:   func(in store.Incident) { v.kept[in.ID] = in },
	})
	return v
}

// take ticks when a recorded second is over, and for each second in which no
// line came: silence is judged too.
func (v *virtual) take(b store.Batch) {
	if !v.at.IsZero() && b.At.Unix() > v.at.Unix() {
		v.tick()
		if b.At.Sub(v.at) > longestSilence {
			v.at = b.At.Add(-time.Second) // a recording with a hole of hours is two recordings
		}
		for v.at = v.at.Add(time.Second); v.at.Unix() < b.At.Unix(); v.at = v.at.Add(time.Second) {
			v.tick()
		}
	}
	if b.At.After(v.at) || v.at.Sub(b.At) >= clockBack {
		v.at = b.At
	}
	v.window.Push(b)
}

// clockBack is how far an earlier line must lie to mean that the recorder's clock
// was set back, and not that a source came late.
const clockBack = store.WindowSeconds * time.Second

// longestSilence is the longest stretch without lines that is judged second by
// second; after it every incident has closed.
const longestSilence = 15 * time.Minute

func (v *virtual) tick() {
	v.matcher.Tick(v.at, v.at)
	if v.ticked != nil {
		v.ticked()
	}
}

func (v *virtual) list() []store.Incident {
	out := make([]store.Incident, 0, len(v.kept))
	for _, in := range v.kept {
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b store.Incident) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return out
}
