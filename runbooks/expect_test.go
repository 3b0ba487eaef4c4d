package runbooks

import (
	"testing"

	"stallbook/store"
)

func rows(columns []string, cells ...[]string) Answer {
	a := Answer{Columns: columns}
	for _, r := range cells {
		row := make([]*string, len(r))
		for i := range r {
			if r[i] != "NULL" {
				row[i] = &r[i]
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a
}

func TestJudge(t *testing.T) {
	n := []string{"n", "name"}
	for _, c := range []struct {
		what   string
		e      Expect
		a      Answer
		result store.StepResult
		says   string
	}{
		{"at least", Expect{Column: "n", Op: ">=", Value: "4", Pass: "{{n}} wait on {{instance}}", Fail: "f"}, rows(n, []string{"12345", "a"}), store.Pass, "12,345 wait on orders-1"},
		{"fraction", Expect{Column: "n", Op: "<", Value: "4", Pass: "p", Fail: "{{n}} of {{name}}"}, rows(n, []string{"4.50", "NULL"}), store.Fail, "4.50 of –"},
		{"numbers are equal", Expect{Column: "n", Op: "=", Value: "0", Pass: "{{n}}", Fail: "f"}, rows(n, []string{"0.00", "a"}), store.Pass, "0.00"},
		{"texts differ", Expect{Column: "name", Op: "!=", Value: "off", Pass: "p {{name}}", Fail: "f"}, rows(n, []string{"1", "try"}), store.Pass, "p try"},
		{"one of", Expect{Column: "name", Op: "in", Value: "on, try", Pass: "p", Fail: "f"}, rows(n, []string{"1", "try"}), store.Pass, "p"},
		{"none of", Expect{Column: "name", Op: "in", Value: "on, try", Pass: "p", Fail: "f {{name}}"}, rows(n, []string{"1", "off"}), store.Fail, "f off"},
		{"a pid is a name", Expect{Column: "pid", Op: ">", Value: "0", Pass: "{{pid}}", Fail: "f"}, rows([]string{"pid"}, []string{"30852"}), store.Pass, "30852"},
		{"a column wins over a variable", Expect{Column: "relation", Op: "!=", Value: "", Pass: "{{relation}}", Fail: "f"}, rows([]string{"relation"}, []string{"public.t"}), store.Pass, "public.t"},
		{"NULL is unknown", Expect{Column: "n", Op: "=", Value: "0", Pass: "p", Fail: "f", Hidden: "grant it, {{name}}"}, rows(n, []string{"NULL", "a"}), store.ResultUnknown, "grant it, a"},
		{"NULL without a sentence", Expect{Column: "n", Op: "=", Value: "0", Pass: "p", Fail: "f"}, rows(n, []string{"NULL", "a"}), store.ResultUnknown, "n is not known here."},
		{"no row is unknown", Expect{Column: "n", Op: "=", Value: "0", Pass: "p", Fail: "f", Empty: "no such table on {{instance}}"}, rows(n), store.ResultUnknown, "no such table on orders-1"},
		{"no row, no sentence", Expect{Column: "n", Op: "=", Value: "0", Pass: "p", Fail: "f"}, rows(n), store.ResultUnknown, "No row came back."},
		{"no such column", Expect{Column: "m", Op: "=", Value: "0", Pass: "p", Fail: "f"}, rows(n, []string{"1", "a"}), store.ResultUnknown, "The answer has no column m, only n, name."},
		{"no number", Expect{Column: "name", Op: ">", Value: "0", Pass: "p", Fail: "f"}, rows(n, []string{"1", "a"}), store.ResultUnknown, `name is "a", which can't be judged: > compares numbers.`},
		{"rows", Expect{Op: "rows", Pass: "{{rows}} found, first {{name}}", Fail: "f"}, rows(n, []string{"1", "a"}, []string{"2", "b"}), store.Pass, "2 found, first a"},
		{"too few rows", Expect{Op: "rows", Value: "3", Pass: "p", Fail: "only {{rows}}"}, rows(n, []string{"1", "a"}), store.Fail, "only 1"},
		{"rows, none", Expect{Op: "rows", Pass: "p", Fail: "{{rows}} found"}, rows(n), store.Fail, "0 found"},
		{"rows, none, own words", Expect{Op: "rows", Pass: "p", Fail: "f", Empty: "nothing there"}, rows(n), store.Fail, "nothing there"},
	} {
		t.Run(c.what, func(t *testing.T) {
			result, says := c.e.Judge(c.a, Vars{"instance": "orders-1", "schema": "s", "table": "t"})
			if result != c.result || says != c.says {
				t.Errorf("%s, %q; want %s, %q", result, says, c.result, c.says)
			}
		})
	}
}
