package lab

import "embed"

//go:embed sql/*.sql
var files embed.FS

// statement returns sql/NAME.sql. A missing one is a mistake in this package.
func statement(name string) string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(text)
}
