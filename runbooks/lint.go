package runbooks

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"stallbook/store"
)

// Finding is something a runbook lacks though it loads.
type Finding struct {
	File    string // as Load names it, for instance autovacuum-stall/steps.yaml
	Message string
}

func (f Finding) String() string { return f.File + ": " + f.Message }

// Lint asks of every runbook what a tired reader needs: all sections, three
// sentences in brief, look-alikes that lead somewhere, checks that only read,
// and for every fix what it takes, how to undo it and how to see that it
// worked. The findings are in order of the runbooks.
func Lint(lib *Library) []Finding {
	var out []Finding
	for _, book := range lib.list {
		l := linter{lib: lib, book: book}
		l.page()
		l.links()
		l.kinds()
		for _, s := range book.Steps {
			l.step(s)
		}
		l.fixtures()
		out = append(out, l.found...)
	}
	return out
}

type linter struct {
	lib   *Library
	book  *Runbook
	found []Finding
}

func (l *linter) add(file, format string, args ...any) {
	l.found = append(l.found, Finding{path.Join(l.book.from, file), fmt.Sprintf(format, args...)})
}

func (l *linter) page() {
	if n := len(l.book.Brief); n != 3 {
		l.add("page.md", "brief has %d sentences; a reader with 60 seconds gets three", n)
	}
	if l.book.Versions == "" {
		l.add("page.md", "versions is missing: which PostgreSQL versions the page speaks of")
	}
	for i, want := range sectionIDs {
		if !slices.ContainsFunc(l.book.Sections, func(s Section) bool { return s.ID == want.id && s.Text != "" }) {
			l.add("page.md", "section %q is missing or empty", "## "+sectionIDs[i].title)
		}
	}
	if sig := l.book.Signature.Severity; l.book.Severity.Rank() < sig.Rank() {
		l.add("page.md", "severity %s is less than the signature's %s", l.book.Severity, sig)
	}
}

var rawHTML = regexp.MustCompile(`<!-- raw HTML omitted -->`)
var relativeLink = regexp.MustCompile(`href="([^":/?#]+)(?:#[^"]*)?"`)

func (l *linter) links() {
	for _, a := range l.book.LookAlike {
		l.slug("page.md", "looks_like", a.Slug)
		if a.Says == "" {
			l.add("page.md", "looks_like %s needs says: what tells the two apart", a.Slug)
		}
	}
	if len(l.book.LookAlike) == 0 {
		l.add("page.md", "looks_like is empty: name what is easily mistaken for this")
	}
	for _, s := range l.book.Sections {
		if rawHTML.MatchString(s.HTML) {
			l.add("page.md", "section %q holds HTML, which is left out; write Markdown", s.Title)
		}
		for _, m := range relativeLink.FindAllStringSubmatch(s.HTML, -1) {
			l.slug("page.md", "a link in section "+s.Title, m[1])
		}
	}
	for _, slug := range l.book.Signature.Explains {
		l.slug("signature.yaml", "explains", slug)
	}
}

func (l *linter) slug(file, where, slug string) {
	if _, ok := l.lib.Get(slug); !ok {
		l.add(file, "%s: the library has no runbook %q%s", where, slug, hint(slug, l.lib.Slugs()))
	}
}

func (l *linter) kinds() {
	for _, k := range []string{Check, Verify} {
		if !slices.ContainsFunc(l.book.Steps, func(s Step) bool { return s.Kind == k }) {
			l.add(stepsFile, "there is no %s step", k)
		}
	}
	for _, name := range l.book.sql {
		if !slices.ContainsFunc(l.book.Steps, func(s Step) bool { return s.SQLFile == name }) {
			l.add("sql/"+name, "no step reads this file")
		}
	}
}

func (l *linter) step(s Step) {
	if s.Kind == Check && s.SQL != "" {
		if err := ReadOnly(s.SQL); err != nil {
			l.add("sql/"+s.SQLFile, "%s", err)
		}
	}
	if s.Kind == Fix {
		for _, need := range []struct{ name, value string }{
			{"takes", s.Takes}, {"effect", s.Effect}, {"undo", s.Undo}, {"precondition", s.Precondition}, {"verify", s.Verify},
		} {
			if need.value == "" {
				l.add(stepsFile, "fix %q has no %s", s.ID, need.name)
			}
		}
	}
	l.variables(stepsFile, s.ID, s.Title, s.Text, s.Takes, s.Effect, s.Undo, s.Precondition)
	if s.SQL != "" {
		l.variables("sql/"+s.SQLFile, s.ID, s.SQL)
		l.sqlForms(s)
	}
	l.sentences(s)
}

// anyBraces also finds what Fill would leave alone.
var anyBraces = regexp.MustCompile(`\{\{[^}]*\}?\}?`)

func (l *linter) variables(file, step string, texts ...string) {
	for _, text := range texts {
		for _, m := range anyBraces.FindAllString(text, -1) {
			part := variable.FindStringSubmatch(m)
			if part == nil {
				l.add(file, "step %q: %s is no variable; write {{table}} or {{table|ident}}", step, m)
				continue
			}
			name, form := part[1], part[2]
			if !strings.HasPrefix(name, "setting.") && !slices.Contains(varNames, name) {
				l.add(file, "step %q: unknown variable {{%s}}%s; valid: %s, setting.NAME", step, name, hint(name, varNames), strings.Join(varNames, ", "))
			}
			if form != "" && !slices.Contains(forms, form) {
				l.add(file, "step %q: unknown form %q in %s%s; valid: %s", step, form, m, hint(form, forms), strings.Join(forms, ", "))
			}
		}
	}
}

func (l *linter) sqlForms(s Step) {
	for _, m := range variable.FindAllStringSubmatch(s.SQL, -1) {
		if m[2] == "" || m[2] == formText {
			l.add("sql/"+s.SQLFile, "in SQL write {{%s|ident}} or {{%s|literal}}, so that any name is quoted", m[1], m[1])
		}
	}
}

// sentences asks for the number in the verdict.
func (l *linter) sentences(s Step) {
	if s.Expect == nil {
		return
	}
	for _, e := range []struct{ name, text string }{{"pass", s.Expect.Pass}, {"fail", s.Expect.Fail}} {
		if !variable.MatchString(e.text) {
			l.add(stepsFile, "step %q: the %s sentence shows no value; put {{%s}} into it", s.ID, e.name, cmp.Or(s.Expect.Column, "rows"))
		}
	}
}

func (l *linter) fixtures() {
	all := l.lib.Fixtures()
	count := map[string]int{}
	for _, f := range l.book.Fixtures {
		count[f.Expect]++
		if !slices.Contains(all, f.Name) {
			l.add("fixtures/expect.yaml", "there is no recording %s%s", f.Name, nearFixture(f.Name, all))
		}
	}
	for _, name := range l.lib.own(l.book.Slug) {
		if !slices.ContainsFunc(l.book.Fixtures, func(f Fixture) bool { return f.Name == name }) {
			l.add("fixtures/expect.yaml", "%s is listed under none of match, quiet, unknown", name)
		}
	}
	for _, want := range []string{ExpectMatch, ExpectQuiet} {
		if count[want] == 0 {
			l.add("fixtures/expect.yaml", "no recording under %s: %s", want, map[string]string{
				ExpectMatch: "nothing shows that the signature ever matches", ExpectQuiet: "nothing shows that it keeps quiet"}[want])
		}
	}
}

func nearFixture(name string, all []string) string {
	if near := store.Nearest(name, all); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
