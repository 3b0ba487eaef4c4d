package runbooks

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stallbook/store/strict"
)

// stepsYAML is the shape of steps.yaml.
type stepsYAML struct {
	Steps []stepYAML `yaml:"steps"`
}

type stepYAML struct {
	ID           string      `yaml:"id"`
	Kind         string      `yaml:"kind"`
	Title        string      `yaml:"title"`
	On           string      `yaml:"on"`
	SQL          string      `yaml:"sql"` // a file in sql/
	Text         string      `yaml:"text"`
	Needs        []string    `yaml:"needs"`
	MinVersion   int         `yaml:"min_version"`
	Extension    string      `yaml:"extension"`
	Expect       *expectYAML `yaml:"expect"`
	Takes        string      `yaml:"takes"`
	Effect       string      `yaml:"effect"`
	Undo         string      `yaml:"undo"`
	Precondition string      `yaml:"precondition"`
	Risk         string      `yaml:"risk"`
	Verify       string      `yaml:"verify"`
}

type expectYAML struct {
	Column string `yaml:"column"`
	Op     string `yaml:"op"`
	Value  string `yaml:"value"`
	Pass   string `yaml:"pass"`
	Fail   string `yaml:"fail"`
	Empty  string `yaml:"empty"`
	Hidden string `yaml:"hidden"`
}

var (
	kinds  = []string{Check, Fix, Verify}
	places = []string{OnPrimary, OnStandby, OnInstance}
	risks  = []string{"read", "safe", "disruptive", "destructive"}
	ops    = []string{"=", "!=", "<", "<=", ">", ">=", "in", "rows"}
)

const stepsFile = "steps.yaml"

func (r *reader) steps(book *Runbook, src string) {
	var y stepsYAML
	if err := strict.Decode(path.Join(r.dir, stepsFile), []byte(src), &y); err != nil {
		r.failed(err)
		return
	}
	lines := newLines(src)
	if len(y.Steps) == 0 {
		r.fail(stepsFile, 1, "steps is empty: a runbook needs at least one check")
	}
	for i := range y.Steps {
		at := func(key string) int { return lines.at("steps", i, key) }
		s := r.step(&y.Steps[i], at)
		if slices.ContainsFunc(book.Steps, func(o Step) bool { return o.ID == s.ID }) {
			r.fail(stepsFile, at("id"), "step id %q is used twice", s.ID)
		}
		book.Steps = append(book.Steps, s)
	}
	r.verifies(book, lines)
	r.sqlFiles(book)
}

// step checks one step; at gives the line of one of its keys.
func (r *reader) step(y *stepYAML, at func(string) int) Step {
	bad := func(key, format string, args ...any) { r.fail(stepsFile, at(key), format, args...) }
	if !slugForm.MatchString(y.ID) {
		bad("id", "step id %q must be lower case letters, digits and single dashes", y.ID)
	}
	if y.Title == "" {
		bad("title", "step %q needs a title: a question for a check, an action for a fix", y.ID)
	}
	if y.Risk == "" && y.Kind != Fix {
		y.Risk = "read"
	}
	for _, w := range []struct {
		key, word string
		valid     []string
	}{{"kind", y.Kind, kinds}, {"on", y.On, places}, {"risk", y.Risk, risks}} {
		if !slices.Contains(w.valid, w.word) {
			bad(w.key, "step %q: %s %q is none of %s%s", y.ID, w.key, w.word, strings.Join(w.valid, ", "), hint(w.word, w.valid))
		}
	}
	if y.MinVersion != 0 && (y.MinVersion < 10 || y.MinVersion > 99) {
		bad("min_version", "step %q: min_version is a major version such as 15, not %d", y.ID, y.MinVersion)
	}
	s := Step{
		ID: y.ID, Kind: y.Kind, Title: y.Title, On: y.On, SQLFile: y.SQL, Text: strings.TrimSpace(y.Text),
		Needs: y.Needs, MinVersion: y.MinVersion, Extension: y.Extension, Takes: y.Takes, Effect: y.Effect,
		Undo: y.Undo, Precondition: y.Precondition, Risk: y.Risk, Verify: y.Verify,
	}
	if y.SQL != "" {
		s.SQL = r.sql(y.SQL, at("sql"))
	} else if s.Text == "" {
		bad("sql", "step %q has neither sql nor text", y.ID)
	}
	s.Expect = r.expect(y, bad)
	return s
}

// sql reads a step's file; a missing one is reported where it is named.
func (r *reader) sql(name string, line int) string {
	names, _ := r.globSQL()
	if !slices.Contains(names, name) {
		r.fail(stepsFile, line, "there is no sql/%s in this folder%s", name, hint(name, names))
		return ""
	}
	text, _ := r.read("sql/" + name)
	return strings.TrimSpace(text) + "\n"
}

func (r *reader) expect(y *stepYAML, bad func(string, string, ...any)) *Expect {
	e := y.Expect
	switch {
	case e == nil && y.SQL != "" && y.Kind != Fix:
		bad("id", "step %q needs expect, so that its answer can be judged", y.ID)
		return nil
	case e == nil:
		return nil
	case y.Kind == Fix || y.SQL == "":
		bad("expect", "step %q: expect judges the answer of a check or verify with sql", y.ID)
	}
	if !slices.Contains(ops, e.Op) {
		bad("expect", "step %q: op %q is none of %s", y.ID, e.Op, strings.Join(ops, " "))
	}
	if e.Op != "rows" && (e.Column == "" || e.Value == "") {
		bad("expect", "step %q: expect needs a column and a value", y.ID)
	}
	if e.Pass == "" || e.Fail == "" {
		bad("expect", "step %q: expect needs a sentence for pass and one for fail", y.ID)
	}
	out := Expect(*e)
	return &out
}

// verifies checks that what a fix names as its proof is one.
func (r *reader) verifies(book *Runbook, lines lines) {
	var ids []string
	for _, s := range book.Steps {
		if s.Kind == Verify {
			ids = append(ids, s.ID)
		}
	}
	for i, s := range book.Steps {
		if s.Verify == "" {
			continue
		}
		if s.Kind != Fix {
			r.fail(stepsFile, lines.at("steps", i, "verify"), "step %q: only a fix names a verify step", s.ID)
		} else if !slices.Contains(ids, s.Verify) {
			r.fail(stepsFile, lines.at("steps", i, "verify"), "step %q: there is no verify step %q%s", s.ID, s.Verify, hint(s.Verify, ids))
		}
	}
}

// lines finds the line of a value by its path.
type lines struct{ root *yaml.Node }

func newLines(src string) lines {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(src), &doc) != nil || len(doc.Content) == 0 {
		return lines{&doc}
	}
	return lines{doc.Content[0]}
}

// at walks keys and indexes and returns the line of the deepest that exists.
func (l lines) at(path ...any) int {
	n, line := l.root, l.root.Line
	for _, p := range path {
		next := child(n, p)
		if next == nil {
			return line
		}
		n, line = next, next.Line
	}
	return line
}

func child(n *yaml.Node, p any) *yaml.Node {
	if i, ok := p.(int); ok {
		if i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == p {
			return n.Content[i+1]
		}
	}
	return nil
}
