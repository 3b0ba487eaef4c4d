package runbooks

import (
	"bytes"
	"path"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"stallbook/store"
	"stallbook/store/strict"
)

// pageYAML is the front matter of page.md.
type pageYAML struct {
	Title     string      `yaml:"title"`
	Severity  string      `yaml:"severity"`
	Tags      []string    `yaml:"tags"`
	Reviewed  string      `yaml:"reviewed"`
	Versions  string      `yaml:"versions"`
	Brief     []string    `yaml:"brief"`
	LooksLike []LookAlike `yaml:"looks_like"`
}

// sectionIDs are the sections that every page has, in order, with their
// headings. A page may have more; the id of such a one is its heading in lower
// case with dashes.
var sectionIDs = []struct{ id, title string }{
	{"symptom", "What you see"},
	{"is-it-this", "Is it this"},
	{"why", "Why it happens"},
	{"stop", "Stop the bleeding"},
	{"fix", "Fix"},
	{"verify", "Verify"},
	{"undo", "Undo"},
	{"escalate", "Escalate"},
	{"prevent", "Prevent"},
	{"sources", "Sources"},
}

// page reads front matter and sections.
func (r *reader) page(book *Runbook, src string) {
	const file = "page.md"
	front, body, ok := cutFront(src)
	if !ok {
		r.fail(file, 1, "the page must begin with front matter between two lines of ---")
		return
	}
	var y pageYAML
	// The line of --- is kept as an empty one, so that problems name the line of the file.
	if err := strict.Decode(path.Join(r.dir, file), []byte("\n"+front), &y); err != nil {
		r.failed(err)
		return
	}
	book.Title, book.Severity, book.Tags = y.Title, store.Severity(y.Severity), y.Tags
	book.Reviewed, book.Versions, book.Brief, book.LookAlike = y.Reviewed, y.Versions, y.Brief, y.LooksLike
	at := func(key string) int { return lineOfKey(front, key) + 1 }
	if book.Title == "" {
		r.fail(file, at("title"), "title is missing")
	}
	if book.Severity.Rank() == 0 {
		r.fail(file, at("severity"), "severity %q is none of %s%s", y.Severity, strings.Join(severities, ", "), hint(y.Severity, severities))
	}
	if _, err := time.Parse(time.DateOnly, y.Reviewed); err != nil {
		r.fail(file, at("reviewed"), "reviewed %q is no date like 2026-12-01", y.Reviewed)
	}
	book.Sections = r.sections(body, strings.Count(front, "\n")+2)
}

var severities = []string{string(store.Outage), string(store.Stall), string(store.Degraded), string(store.Risk)}

// cutFront parts the front matter from the Markdown.
func cutFront(src string) (front, body string, ok bool) {
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", "", false
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	return front + "\n", body, ok
}

func lineOfKey(front, key string) int {
	for i, line := range strings.Split(front, "\n") {
		if strings.HasPrefix(line, key+":") {
			return i + 1
		}
	}
	return 0
}

// hint names the nearest valid word.
func hint(word string, valid []string) string {
	if near := store.Nearest(word, valid); near != "" && near != word {
		return "; did you mean " + strings.TrimSpace(near) + "?"
	}
	return ""
}

// markdown renders tables and the like; raw HTML and javascript: links are left
// out, since a user's page is not trusted with the browser of others.
func markdown() goldmark.Markdown { return goldmark.New(goldmark.WithExtensions(extension.Table)) }

// sections splits the body at its second-level headings. offset is the number
// of lines above the body.
func (r *reader) sections(body string, offset int) []Section {
	const file = "page.md"
	md, src := markdown(), []byte(body)
	lineAt := func(pos int) int { return offset + strings.Count(body[:pos], "\n") + 1 }
	var out []Section
	starts := headings(md, src, func(pos int) {
		r.fail(file, lineAt(pos), "write a heading as `## Title` on one line; the page's own title stands in the front matter")
	})
	for i, start := range starts {
		end := len(body)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		line, text, _ := strings.Cut(body[start:end], "\n")
		title := strings.TrimSpace(strings.Trim(line, "# "))
		var html bytes.Buffer
		if err := md.Convert([]byte(text), &html); err != nil {
			r.fail(file, lineAt(start), "section %q can't be rendered: %s", title, err)
			continue
		}
		id := sectionID(title)
		for _, s := range out {
			if s.ID == id {
				r.fail(file, lineAt(start), "section %q stands twice", title)
			}
		}
		out = append(out, Section{ID: id, Title: title, HTML: html.String(), Text: strings.TrimSpace(text)})
	}
	if len(starts) == 0 {
		r.fail(file, offset+1, "the page has no section: begin with `## What you see`")
	} else if strings.TrimSpace(body[:starts[0]]) != "" {
		r.fail(file, offset+1, "there is text before the first heading")
	}
	return out
}

// headings returns where each second-level heading begins; wrong gets the
// position of those that are written in another way.
func headings(md goldmark.Markdown, src []byte, wrong func(pos int)) []int {
	var starts []int
	doc := md.Parser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > 2 || h.Lines().Len() == 0 {
			continue
		}
		pos := bytes.LastIndexByte(src[:h.Lines().At(0).Start], '\n') + 1
		if h.Level != 2 || !bytes.HasPrefix(src[pos:], []byte("## ")) {
			wrong(pos)
			continue
		}
		starts = append(starts, pos)
	}
	return starts
}

func sectionID(title string) string {
	for _, s := range sectionIDs {
		if strings.EqualFold(s.title, title) {
			return s.id
		}
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	})
	return strings.Join(words, "-")
}
