package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stallbook/runbooks"
	"stallbook/store"
	"stallbook/views"
)

// staleRun is how old a result may be before the page asks to run it again.
const staleRun = 60 * time.Second

// foldLines is how long a statement may be before it is folded away: what it
// answered must not stand a screen below its question.
const foldLines = 14

// steps is every step of the page with its statement filled in, by kind.
func (s *Server) steps(v bookView) (checks, fixes, verifies []views.Step) {
	vars := s.vars(v)
	for i, st := range v.book.Steps {
		out := s.step(v, st, vars, strconv.Itoa(i+1))
		switch st.Kind {
		case runbooks.Check:
			checks = append(checks, out)
		case runbooks.Fix:
			fixes = append(fixes, out)
		default:
			verifies = append(verifies, out)
		}
	}
	return checks, fixes, verifies
}

func (s *Server) step(v bookView, st runbooks.Step, vars runbooks.Vars, number string) views.Step {
	filled, missing := st.Filled(vars)
	for _, p := range []*string{&filled.Title, &filled.SQL, &filled.Text, &filled.Takes, &filled.Effect, &filled.Undo, &filled.Precondition} {
		*p = runbooks.Readable(*p)
	}
	out := views.Step{
		ID: st.ID, Number: number, Kind: st.Kind, Title: filled.Title, SQL: strings.TrimSpace(filled.SQL),
		Text: strings.TrimSpace(filled.Text), Specs: specs(filled), Status: "not run",
	}
	if n := strings.Count(out.SQL, "\n") + 1; n > foldLines {
		out.Fold = fmt.Sprintf("Statement, %d lines", n)
	}
	if v.ref == (store.Ref{}) {
		out.Status, out.On = "", onWords(st.On)
		return out
	}
	target, ok := v.targets.of(st.On)
	if !ok {
		out.On, out.RunNote = onWords(st.On), "Nobody in "+v.ref.Cluster+" is known as its "+st.On+" at the moment."
		return out
	}
	out.On = "on " + target.Instance
	if db := vars["database"]; db != "" {
		out.On += ", database " + db
	}
	if run, ok := v.runs[st.ID]; ok {
		out.Result = s.result(run)
	}
	s.offer(&out, v, st, target, missing)
	return out
}

// offer gives a check its button and says of every other step why it has none.
func (s *Server) offer(out *views.Step, v bookView, st runbooks.Step, target store.Ref, missing []string) {
	switch {
	case len(missing) > 0 && st.Kind != runbooks.Check:
		out.Status, out.RunNote = "", "Shown, not run. Not known here, so put it in yourself: "+strings.Join(missing, ", ")+"."
	case st.Kind == runbooks.Fix:
		out.Status, out.RunNote = "", "Shown, not run: this build fills the statement in and leaves running it to you."
	case st.Kind == runbooks.Verify:
		out.Status, out.RunNote = "", "Shown, not run: compare after the fix."
	case st.SQL == "":
		out.Status, out.RunNote = "", "Nothing to run here: look at it yourself."
	case len(missing) > 0:
		out.RunNote = "Not known yet, and needed to run it: " + strings.Join(missing, ", ") + "."
	default:
		out.Run = s.runForm(v, st.ID, target, out.Result)
	}
}

func (s *Server) runForm(v bookView, step string, target store.Ref, last *views.StepResult) *views.RunForm {
	f := &views.RunForm{
		Action: s.link("/runbooks/" + pathEscape(v.book.Slug) + "/steps/" + pathEscape(step) + "/run"),
		Label:  "Run on " + target.Instance,
		Fields: []views.Field{{Name: "cluster", Value: v.ref.Cluster}, {Name: "instance", Value: v.ref.Instance}},
	}
	if last != nil {
		f.Label = "Run again on " + target.Instance
	}
	if v.incident != nil {
		f.Fields = append(f.Fields, views.Field{Name: "incident", Value: v.incident.ID})
	}
	if !v.at.IsZero() {
		f.Fields = append(f.Fields, views.Field{Name: "at", Value: atParam(v.at)})
	}
	return f
}

// vars is what the statements are filled in with: names of the cluster, the
// table the signature looks at, the settings that were read.
func (s *Server) vars(v bookView) runbooks.Vars {
	if v.ref == (store.Ref{}) {
		return nil
	}
	vars := runbooks.Vars{
		"cluster": v.ref.Cluster, "instance": v.ref.Instance,
		"primary": v.targets.primary.Instance, "standby": v.targets.standby.Instance,
	}
	s.d.Window.Read(func(view store.View) {
		in := view.Instance(v.ref)
		if in == nil {
			return
		}
		for name, f := range in.Facts() {
			if setting, ok := strings.CutPrefix(name, "pg.setting."); ok {
				vars["setting."+setting] = f.Value
			}
		}
	})
	if v.own != nil {
		if label := tableOf(v.own.Clauses); label != "" {
			vars = vars.With(runbooks.TableVars(label, nil))
		}
	}
	return vars
}

// tableOf is the table that the clauses look at: of one that holds if possible.
func tableOf(list []store.Evidence) (label string) {
	for _, e := range list {
		id, ok := store.Lookup(e.Signal)
		if !ok || e.Label == "" || id.Info().Label != "table" {
			continue
		}
		if e.Verdict == store.Yes {
			return e.Label
		}
		if label == "" {
			label = e.Label
		}
	}
	return label
}

func specs(st runbooks.Step) []views.Spec {
	var out []views.Spec
	for _, p := range []views.Spec{
		{Name: "Takes", Says: st.Takes}, {Name: "Effect", Says: st.Effect}, {Name: "Undo", Says: st.Undo, Code: looksLikeCode(st.Undo)},
		{Name: "Precondition", Says: st.Precondition}, {Name: "Risk", Says: riskWords[st.Risk]},
	} {
		if p.Says != "" {
			out = append(out, p)
		}
	}
	for _, n := range st.Needs {
		out = append(out, views.Spec{Name: "Needs", Says: n})
	}
	if st.MinVersion > 0 {
		out = append(out, views.Spec{Name: "Needs", Says: fmt.Sprintf("PostgreSQL %d or later.", st.MinVersion)})
	}
	return out
}

var riskWords = map[string]string{
	"safe": "Safe: no lock that stops anyone, no restart.", "disruptive": "Disruptive: someone waits or is interrupted.",
	"destructive": "Destructive: what it removes does not come back.",
}

// looksLikeCode tells a statement from a sentence.
func looksLikeCode(s string) bool {
	return strings.HasSuffix(strings.TrimSpace(s), ";")
}

func onWords(on string) string {
	switch on {
	case runbooks.OnPrimary:
		return "on the primary"
	case runbooks.OnStandby:
		return "on the standby"
	}
	return "on the instance"
}

// result is a run as the page shows it.
func (s *Server) result(run store.StepRun) *views.StepResult {
	now := s.d.Now()
	r := &views.StepResult{
		Kind: string(run.Result), Word: capital(string(run.Result)), Says: run.Says, Who: run.Who, Age: ageOf(run.At, now, false, ""),
		Took: took(run.Took), Old: now.Sub(run.At) > staleRun, Columns: run.Columns, Rows: run.Rows,
	}
	if run.More {
		r.More = fmt.Sprintf("The first %d rows.", len(run.Rows))
	}
	return r
}

func took(d time.Duration) string {
	return store.Quantity(float64(d.Microseconds())/1000, "ms")
}
