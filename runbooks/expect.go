package runbooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stallbook/store"
)

// Answer is what a statement returned, as text. A nil cell is NULL.
type Answer struct {
	Columns []string
	Rows    [][]*string
}

// Judge says whether the answer passes and in which words. An answer without a
// row, with NULL in the judged column or without that column is unknown: what
// was not seen is neither yes nor no.
func (e *Expect) Judge(a Answer, vars Vars) (store.StepResult, string) {
	if len(a.Rows) == 0 && (e.Op != "rows" || e.Empty != "") {
		return e.empty(vars)
	}
	if e.Op == "rows" {
		need, err := strconv.Atoi(e.Value)
		if err != nil {
			need = 1
		}
		return e.verdict(len(a.Rows) >= need, a, vars)
	}
	col := slices.Index(a.Columns, e.Column)
	if col < 0 {
		return store.ResultUnknown, fmt.Sprintf("The answer has no column %s, only %s.", e.Column, strings.Join(a.Columns, ", "))
	}
	cell := a.Rows[0][col]
	if cell == nil {
		return store.ResultUnknown, orDefault(e.sentence(e.Hidden, a, vars), fmt.Sprintf("%s is not known here.", e.Column))
	}
	holds, err := compare(*cell, e.Op, e.Value)
	if err != nil {
		return store.ResultUnknown, fmt.Sprintf("%s is %q, which can't be judged: %s.", e.Column, *cell, err)
	}
	return e.verdict(holds, a, vars)
}

func (e *Expect) empty(vars Vars) (store.StepResult, string) {
	says := orDefault(e.sentence(e.Empty, Answer{}, vars), "No row came back.")
	if e.Op == "rows" {
		return store.Fail, says
	}
	return store.ResultUnknown, says
}

func (e *Expect) verdict(holds bool, a Answer, vars Vars) (store.StepResult, string) {
	if holds {
		return store.Pass, e.sentence(e.Pass, a, vars)
	}
	return store.Fail, e.sentence(e.Fail, a, vars)
}

// sentence puts the first row, the number of rows and the variables into text.
func (e *Expect) sentence(text string, a Answer, vars Vars) string {
	row := Vars{"rows": strconv.Itoa(len(a.Rows))}
	for i, c := range a.Columns {
		if len(a.Rows) == 0 {
			break
		}
		row[c] = "–"
		if v := a.Rows[0][i]; v != nil && *v != "" {
			row[c] = readable(c, *v)
		}
	}
	out, _ := Fill(text, vars.With(row))
	return out
}

// readable groups the thousands of a whole number; a fraction stays as the
// statement rounded it, and a pid is a name.
func readable(column, s string) string {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && column != "pid" {
		return store.Number(float64(n))
	}
	return s
}

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// compare reads both sides as numbers where the comparison is one of size, and
// for = and != when both are numbers.
func compare(got, op, want string) (bool, error) {
	if op == "in" {
		list := strings.Split(want, ",")
		return slices.ContainsFunc(list, func(w string) bool { return strings.TrimSpace(w) == got }), nil
	}
	g, errG := strconv.ParseFloat(got, 64)
	w, errW := strconv.ParseFloat(want, 64)
	numbers := errG == nil && errW == nil
	switch op {
	case "=", "!=":
		same := got == want
		if numbers {
			same = g == w
		}
		return same == (op == "="), nil
	}
	if !numbers {
		return false, fmt.Errorf("%s compares numbers", op)
	}
	switch op {
	case "<":
		return g < w, nil
	case "<=":
		return g <= w, nil
	case ">":
		return g > w, nil
	case ">=":
		return g >= w, nil
	}
	return false, fmt.Errorf("%q is no comparison", op)
}
