package runbooks

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Vars are the values for {{variables}}, by name: table, schema, cluster,
// instance, primary, standby, database, and setting.NAME for a server setting.
// relation is made from schema and table unless it is given. An empty value counts as missing.
type Vars map[string]string

var varNames = []string{"table", "schema", "relation", "cluster", "instance", "primary", "standby", "database"}

// variable matches {{name}} and {{name|form}}.
var variable = regexp.MustCompile(`\{\{\s*([a-z_][a-zA-Z0-9_.]*)\s*(?:\|\s*([a-z]+)\s*)?\}\}`)

// The forms of a variable. In SQL always give one: ident for a name, quoted
// when it must be, literal for a string constant. text is for sentences.
const (
	formText    = "text"
	formIdent   = "ident"
	formLiteral = "literal"
)

var forms = []string{formText, formIdent, formLiteral}

// Fill replaces {{name}} and {{name|form}} in text; without a form it is text.
// Values are put in once and never read again for variables, so any name of a
// table is safe. What vars does not have stays as it stands and is listed in
// missing, once, in order: SQL with something missing must not be run.
func Fill(text string, vars Vars) (filled string, missing []string) {
	filled = variable.ReplaceAllStringFunc(text, func(m string) string {
		part := variable.FindStringSubmatch(m)
		v, ok := vars.get(part[1], part[2])
		if !ok {
			if !slices.Contains(missing, part[1]) {
				missing = append(missing, part[1])
			}
			return m
		}
		return v
	})
	return filled, missing
}

// Filled returns the step with its variables filled in, for a page. missing
// lists what is not known. A check that takes the table from the settings gets
// the two SET lines that psql needs to ask the same; without them its statement
// looks at all tables.
func (s Step) Filled(vars Vars) (Step, []string) {
	var all []string
	for _, p := range []*string{&s.Title, &s.SQL, &s.Text, &s.Takes, &s.Effect, &s.Undo, &s.Precondition} {
		text, missing := Fill(*p, vars)
		*p = text
		for _, m := range missing {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	if table := vars["table"]; table != "" && strings.Contains(s.SQL, "'stallbook.table'") {
		s.SQL = fmt.Sprintf("SET stallbook.schema = %s;\nSET stallbook.table = %s;\n%s", QuoteLiteral(vars["schema"]), QuoteLiteral(table), s.SQL)
	}
	return s, all
}

// Readable replaces the variables that nothing filled by words in angle brackets,
// for a page: no server takes them for a name. Text that is run is never made
// readable; it is not run at all while something is missing.
func Readable(text string) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		name := variable.FindStringSubmatch(m)[1]
		if setting, ok := strings.CutPrefix(name, "setting."); ok {
			return "<present value of " + setting + ">"
		}
		if name == "relation" || name == "table" {
			return "<your table>"
		}
		return "<" + name + ">"
	})
}

func (v Vars) get(name, form string) (string, bool) {
	if _, given := v[name]; name == "relation" && !given {
		return v.relation(form)
	}
	value, known := v[name]
	if known && value == "" && form == formLiteral && strings.HasPrefix(name, "setting.") {
		return "''", true // an empty setting is a value
	}
	if value == "" || strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
		return "", false
	}
	return inForm(value, form)
}

func (v Vars) relation(form string) (string, bool) {
	table, ok := v.get("table", formIdent)
	if !ok {
		return "", false
	}
	if schema, ok := v.get("schema", formIdent); ok {
		table = schema + "." + table
	}
	switch form {
	case formIdent:
		return table, true
	case formLiteral: // what ::regclass reads
		return QuoteLiteral(table), true
	}
	if v["schema"] == "" {
		return inForm(v["table"], form)
	}
	return inForm(v["schema"]+"."+v["table"], form)
}

func inForm(value, form string) (string, bool) {
	switch form {
	case formIdent:
		return QuoteIdent(value), true
	case formLiteral:
		return QuoteLiteral(value), true
	case formText, "":
		return oneLine(value), true
	}
	return "", false
}

// oneLine shows control characters as escapes: a line break in a name must not
// end a comment or a sentence.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if unicode.IsControl(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

var plainIdent = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// QuoteIdent quotes a name where SQL needs it, as format('%I') does.
func QuoteIdent(name string) string {
	if _, ok := keywords[name]; plainIdent.MatchString(name) && !ok {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteLiteral makes a string constant, as format('%L') does; it is right
// whatever standard_conforming_strings says.
func QuoteLiteral(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// With returns vars and more in one map; more wins.
func (v Vars) With(more Vars) Vars {
	out := maps.Clone(v)
	if out == nil {
		out = Vars{}
	}
	maps.Copy(out, more)
	return out
}
