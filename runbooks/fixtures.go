package runbooks

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"stallbook/store/strict"
)

// What a fixture expects of the signature.
const (
	ExpectMatch   = "match"   // it matches at some second
	ExpectQuiet   = "quiet"   // it matches at no second
	ExpectUnknown = "unknown" // it stays possible: something it needs is not measured
)

// fixturesYAML is the shape of fixtures/expect.yaml. A name is a file of this
// folder, or slug/file of another runbook: one recording serves many as the
// quiet case.
type fixturesYAML struct {
	Match   []string `yaml:"match"`
	Quiet   []string `yaml:"quiet"`
	Unknown []string `yaml:"unknown"`
}

func (r *reader) fixtures(book *Runbook) {
	name := path.Join(r.slug, "fixtures", "expect.yaml")
	if _, err := fs.Stat(r.fs, name); errors.Is(err, fs.ErrNotExist) {
		return // the linter asks for it
	}
	text, ok := r.read("fixtures/expect.yaml")
	if !ok {
		return
	}
	var y fixturesYAML
	if err := strict.Decode(path.Join(r.dir, "fixtures/expect.yaml"), []byte(text), &y); err != nil {
		r.failed(err)
		return
	}
	for _, g := range []struct {
		expect string
		names  []string
	}{{ExpectMatch, y.Match}, {ExpectQuiet, y.Quiet}, {ExpectUnknown, y.Unknown}} {
		for _, n := range g.names {
			if !strings.Contains(n, "/") {
				n = r.slug + "/" + n
			}
			book.Fixtures = append(book.Fixtures, Fixture{n, g.expect})
		}
	}
}
