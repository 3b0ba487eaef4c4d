package runbooks

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"stallbook/runbooks/signature"
)

// Library is a set of runbooks. It does not change after Load.
type Library struct {
	list    []*Runbook          // by slug
	folders map[string][]folder // where each runbook's files are; an overriding folder comes last
}

type folder struct {
	fs   fs.FS
	name string // as errors name it
}

// Get returns the runbook with that slug.
func (l *Library) Get(slug string) (*Runbook, bool) {
	i, ok := slices.BinarySearchFunc(l.list, slug, func(r *Runbook, s string) int { return cmp.Compare(r.Slug, s) })
	if !ok {
		return nil, false
	}
	return l.list[i], true
}

// List returns the runbooks, the worst severity first, then by title.
func (l *Library) List() []*Runbook {
	out := slices.Clone(l.list)
	slices.SortStableFunc(out, func(a, b *Runbook) int {
		return cmp.Or(b.Severity.Rank()-a.Severity.Rank(), cmp.Compare(a.Title, b.Title))
	})
	return out
}

// Slugs lists the slugs in order.
func (l *Library) Slugs() []string {
	out := make([]string, len(l.list))
	for i, r := range l.list {
		out[i] = r.Slug
	}
	return out
}

// Signatures returns the signature of every runbook, by slug.
func (l *Library) Signatures() []*signature.Signature {
	out := make([]*signature.Signature, len(l.list))
	for i, r := range l.list {
		out[i] = r.Signature
	}
	return out
}

// Fixtures names every recording of the library as slug/file.jsonl, in order.
// Those of a runbook that was overridden are among them.
func (l *Library) Fixtures() []string {
	var out []string
	for _, r := range l.list {
		for _, f := range l.folders[r.Slug] {
			out = append(out, f.fixtures(r.Slug)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// own lists the recordings in the runbook's own folder.
func (l *Library) own(slug string) []string {
	layers := l.folders[slug]
	return layers[len(layers)-1].fixtures(slug)
}

func (f folder) fixtures(slug string) []string {
	names, _ := fs.Glob(f.fs, slug+"/fixtures/*.jsonl")
	for i, n := range names {
		names[i] = strings.Replace(n, "/fixtures/", "/", 1)
	}
	return names
}

// OpenFixture opens a recording by its name, slug/file.jsonl. The error is
// fs.ErrNotExist when the library has none of that name.
func (l *Library) OpenFixture(name string) (fs.File, error) {
	slug, file, _ := strings.Cut(name, "/")
	for _, f := range slices.Backward(l.folders[slug]) {
		if opened, err := f.fs.Open(slug + "/fixtures/" + file); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return opened, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
