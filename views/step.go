package views

// Step is one check, fix or verify of a runbook, filled in for an instance.
type Step struct {
	ID       string
	Number   string
	Kind     string // check, fix, verify
	Title    string
	On       string // "on events-1, database app"
	SQL      string
	Fold     string // "Statement, 31 lines": a long one is folded away under this
	Text     string // shell, YAML or prose where there is no SQL
	Specs    []Spec // takes, effect, undo, precondition, needs
	Result   *StepResult
	Status   string // "not run", when there is no result
	Run      *RunForm
	RunNote  string // why it can't be run from here, when Run is nil
	CopyText string // what the copy button copies; "" means SQL
}

// Spec is one line of what a step takes and does.
type Spec struct {
	Name, Says string
	Code       bool // set in the mono face: an undo statement
}

// StepResult is what a run said.
type StepResult struct {
	Kind    string // pass, fail, unknown
	Word    string // "Pass", "Fail", "Unknown"
	Says    string
	Who     string
	Age     Age
	Took    string
	Old     bool // older than a minute: shown grey with "run again"
	Columns []string
	Rows    [][]string
	More    string // "first 50 rows", when cut
}

// RunForm is what the button of a check posts.
type RunForm struct {
	Action string // URL
	Label  string // "Run on events-1"
	Fields []Field
}

// Field is a hidden field of a form.
type Field struct{ Name, Value string }
