package postgres

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed sql
var sqlFiles embed.FS

// render returns the text of sql/NAME.sql for what this server has. Inside a
// file, {{col "view" "column" "type"}} is the column, or a typed NULL where the
// view lacks it, so that one missing column never loses the others.
func render(name string, c capabilities) (string, error) {
	raw, err := sqlFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"has": c.has,
		"col": func(view, column, typ string) string {
			if c.has(view, column) {
				return column
			}
			return "NULL::pg_catalog." + typ
		},
	}).Parse(string(raw))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, c); err != nil {
		return "", fmt.Errorf("sql/%s.sql: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}
