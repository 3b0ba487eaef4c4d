package runbooks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"stallbook/runbooks/signature"
	"stallbook/store/strict"
)

// Dir is a user's folder of runbooks and the name that errors show it by.
type Dir struct {
	Name string
	FS   fs.FS
}

// reserved are folders that hold Go code or test data of the library itself.
var reserved = []string{"signature", "testdata"}

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Load reads the built-in library and then each folder; a later runbook
// replaces an earlier one of the same slug. The error is strict.Problems with
// everything that is wrong, and the library then holds the runbooks that are
// not: a service keeps its old library, a linter shows both.
func Load(builtin fs.FS, dirs ...Dir) (*Library, error) {
	l := &Library{folders: map[string][]folder{}}
	found := l.add(Dir{FS: builtin}, true)
	for _, d := range dirs {
		found = append(found, l.add(d, false)...)
	}
	slices.SortFunc(l.list, func(a, b *Runbook) int { return cmp.Compare(a.Slug, b.Slug) })
	if len(found) > 0 {
		return l, found
	}
	return l, nil
}

func (l *Library) add(d Dir, builtin bool) (found strict.Problems) {
	entries, err := fs.ReadDir(d.FS, ".")
	if err != nil {
		return strict.Problems{{File: d.Name, Line: 1, Message: "cannot read the folder: " + reason(err)}}
	}
	seen := 0
	for _, e := range entries {
		if !e.IsDir() || builtin && slices.Contains(reserved, e.Name()) || !holdsRunbook(d.FS, e.Name()) {
			continue
		}
		seen++
		r := reader{fs: d.FS, slug: e.Name(), dir: path.Join(d.Name, e.Name())}
		book := r.runbook(builtin)
		found = append(found, r.found...)
		if len(r.found) == 0 {
			l.put(book, d)
		}
	}
	if seen == 0 {
		found = append(found, strict.Problem{File: cmp.Or(d.Name, "."), Line: 1,
			Message: "no runbook here: each is a folder with page.md, signature.yaml and steps.yaml"})
	}
	return found
}

func (l *Library) put(book *Runbook, d Dir) {
	i := slices.IndexFunc(l.list, func(r *Runbook) bool { return r.Slug == book.Slug })
	if i < 0 {
		l.list = append(l.list, book)
	} else {
		book.Overrides = l.list[i].Builtin || l.list[i].Overrides
		l.list[i] = book
	}
	l.folders[book.Slug] = append(l.folders[book.Slug], folder{d.FS, d.Name})
}

// holdsRunbook lets a user keep other folders beside the runbooks.
func holdsRunbook(fsys fs.FS, dir string) bool {
	for _, name := range []string{"page.md", "signature.yaml", "steps.yaml"} {
		if _, err := fs.Stat(fsys, path.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// reader reads one runbook and collects what is wrong with it.
type reader struct {
	fs        fs.FS
	slug, dir string // dir is its folder as errors name it
	found     strict.Problems
}

func (r *reader) fail(file string, line int, format string, args ...any) {
	r.found = append(r.found, strict.Problem{File: path.Join(r.dir, file), Line: max(1, line), Message: fmt.Sprintf(format, args...)})
}

// failed takes over what another parser found.
func (r *reader) failed(err error) {
	var p strict.Problems
	if errors.As(err, &p) {
		r.found = append(r.found, p...)
	} else if err != nil {
		r.fail("", 1, "%s", err)
	}
}

func (r *reader) runbook(builtin bool) *Runbook {
	book := &Runbook{Slug: r.slug, Builtin: builtin, from: r.dir}
	if !slugForm.MatchString(r.slug) || slices.Contains(reserved, r.slug) {
		r.fail("", 1, "the folder name %q can't be a slug: lower case letters, digits and single dashes, and not %s", r.slug, strings.Join(reserved, " or "))
	}
	if text, ok := r.read("page.md"); ok {
		r.page(book, text)
	}
	if text, ok := r.read("signature.yaml"); ok {
		sig, err := signature.Compile(path.Join(r.dir, "signature.yaml"), []byte(text))
		r.failed(err)
		book.Signature = sig
	}
	if text, ok := r.read("steps.yaml"); ok {
		r.steps(book, text)
	}
	r.fixtures(book)
	book.Hash = r.hash()
	return book
}

// read returns a file with \n line ends.
func (r *reader) read(name string) (string, bool) {
	b, err := fs.ReadFile(r.fs, path.Join(r.slug, name))
	if err != nil {
		r.fail(name, 1, "cannot read it: %s", reason(err))
		return "", false
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n"), true
}

// globSQL lists the names of the SQL files.
func (r *reader) globSQL() ([]string, error) {
	names, err := fs.Glob(r.fs, r.slug+"/sql/*.sql")
	for i, n := range names {
		names[i] = path.Base(n)
	}
	return names, err
}

// sqlFiles keeps the names for the linter, which finds the ones no step reads.
func (r *reader) sqlFiles(book *Runbook) { book.sql, _ = r.globSQL() }

// hash covers what a reader of the page relied on; recordings are not part of it.
func (r *reader) hash() string {
	h := sha256.New()
	names, _ := fs.Glob(r.fs, r.slug+"/sql/*.sql")
	for _, n := range append([]string{r.slug + "/page.md", r.slug + "/signature.yaml", r.slug + "/steps.yaml"}, names...) {
		b, _ := fs.ReadFile(r.fs, n)
		fmt.Fprintf(h, "%s %d\n%s", n, len(b), b)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// reason leaves out the path, which the problem names already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "it does not exist"
	}
	return err.Error()
}
