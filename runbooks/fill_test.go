package runbooks

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	vars := Vars{
		"schema": "My Schema", "table": "line\nbreak {{cluster}}", "cluster": "orders", "instance": "", "database": "nul\x00",
		"setting.a.b": "", "setting.names": `"s1"`,
	}
	for text, want := range map[string]struct{ out, missing string }{
		"{{cluster}} and {{ cluster | text }}": {"orders and orders", ""},
		"{{table|ident}}":                      {"\"line\nbreak {{cluster}}\"", ""},
		"{{table|literal}}":                    {"'line\nbreak {{cluster}}'", ""},
		"-- {{table}}":                         {`-- line\u000abreak {{cluster}}`, ""},
		"{{relation|ident}}":                   {"\"My Schema\".\"line\nbreak {{cluster}}\"", ""},
		"{{relation|literal}}":                 {"'\"My Schema\".\"line\nbreak {{cluster}}\"'", ""},
		"{{relation}}":                         {`My Schema.line\u000abreak {{cluster}}`, ""},
		"{{instance}} {{standby}} {{standby}}": {"{{instance}} {{standby}} {{standby}}", "instance standby"},
		"{{database|ident}}":                   {"{{database|ident}}", "database"},
		"{{cluster|shout}}":                    {"{{cluster|shout}}", "cluster"},
		"{{setting.a.b|literal}}":              {"''", ""},
		"{{setting.a.b}}":                      {"{{setting.a.b}}", "setting.a.b"},
		"{{setting.names|literal}}":            {`'"s1"'`, ""},
		"{{.}} {{}} { {cluster} }":             {"{{.}} {{}} { {cluster} }", ""},
	} {
		out, missing := Fill(text, vars)
		if out != want.out || strings.Join(missing, " ") != want.missing {
			t.Errorf("%q: %q missing %v; want %q missing %q", text, out, missing, want.out, want.missing)
		}
	}
	if out, missing := Fill("{{relation}}", Vars{"table": "t"}); out != "t" || missing != nil {
		t.Errorf("a table without its schema: %q %v", out, missing)
	}
	if out, missing := Fill("{{relation|ident}}", Vars{"schema": "s"}); out != "{{relation|ident}}" || !slices.Equal(missing, []string{"relation"}) {
		t.Errorf("no table: %q %v", out, missing)
	}
}

func TestTableVars(t *testing.T) {
	for label, want := range map[string]Vars{
		"public.usage_events":           {"schema": "public", "table": "usage_events"},
		"orders.public.usage_events":    {"database": "orders", "schema": "public", "table": "usage_events"},
		`"My Schema"."a.b.c"`:           {"schema": "My Schema", "table": "a.b.c"},
		`"or.ders".public."say ""hi"""`: {"database": "or.ders", "schema": "public", "table": `say "hi"`},
		"public.a.b.c":                  {"schema": "public", "table": "a.b.c"},
		"alone":                         {"table": "alone"},
		`public."open`:                  {"schema": "public", "table": `"open`},
		`"x"y.z`:                        {"schema": `"x"y`, "table": "z"},
	} {
		if got := TableVars(label, nil); !maps.Equal(got, want) {
			t.Errorf("%s: %v; want %v", label, got, want)
		}
	}
	if got := TableVars("public.a.b", []string{"orders"}); got["table"] != "a.b" || got["database"] != "" {
		t.Errorf("a first part that is no watched database: %v", got)
	}
}

func TestFilledStep(t *testing.T) {
	lib, err := Load(Builtin())
	if err != nil {
		t.Fatal(err)
	}
	book, _ := lib.Get("autovacuum-stall")
	check, _ := book.Step("recent-pass")
	filled, missing := check.Filled(Vars{"schema": "public", "table": "o'clock"})
	if len(missing) > 0 || !strings.HasPrefix(filled.SQL, "SET stallbook.schema = 'public';\nSET stallbook.table = 'o''clock';\n-- ") {
		t.Errorf("missing %v:\n%s", missing, filled.SQL)
	}
	if err := ReadOnly(check.SQL); err != nil {
		t.Error(err)
	}
	fix, _ := book.Step("server-factor")
	if _, missing := fix.Filled(nil); !slices.Equal(missing, []string{"setting.autovacuum_vacuum_insert_scale_factor"}) {
		t.Errorf("missing %v", missing)
	}
	filled, _ = fix.Filled(Vars{"setting.autovacuum_vacuum_insert_scale_factor": "0.2"})
	if !strings.Contains(filled.Undo, "= '0.2';") {
		t.Error(filled.Undo)
	}
}
