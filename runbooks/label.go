package runbooks

import (
	"slices"
	"strings"
)

// TableVars takes a table's label as the signals carry it, schema.table or
// database.schema.table, into vars. Names in it are quoted where SQL needs that,
// so dots part them; with more than three parts, or when databases is given and
// does not hold the first of three, the dots are part of an unquoted name, and
// the schema ends at the first one.
func TableVars(label string, databases []string) Vars {
	vars := Vars{}
	parts := splitLabel(label)
	if len(parts) == 3 && (databases == nil || slices.Contains(databases, parts[0])) {
		vars["database"], parts = parts[0], parts[1:]
	}
	if len(parts) == 1 {
		vars["table"] = parts[0]
		return vars
	}
	vars["schema"], vars["table"] = parts[0], strings.Join(parts[1:], ".")
	return vars
}

func splitLabel(label string) []string {
	var parts []string
	for rest := label; ; {
		name, after, quoted := cutQuoted(rest)
		if !quoted {
			name, after, _ = strings.Cut(rest, ".")
			if after != "" {
				after = "." + after
			}
		}
		parts = append(parts, name)
		if after == "" {
			return parts
		}
		if after[0] != '.' { // a quote that is part of a plain name
			return strings.Split(label, ".")
		}
		rest = after[1:]
	}
}

func cutQuoted(s string) (name, after string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], `""`, `"`), s[i+1:], true
	}
	return "", s, false
}
