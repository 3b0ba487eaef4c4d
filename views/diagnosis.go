package views

import "fmt"

// DiagnosisPage answers: why this page and not another.
type DiagnosisPage struct {
	Crumbs   []Crumb
	Head     string
	Sub      string
	At       AtForm
	Rows     []SignatureRow
	Details  []SignatureDetail
	Empty    string // why there is no judgement, instead of rows
	Instance string // href of the instance's page
}

// SignatureRow is one signature in the list, nearest first.
type SignatureRow struct {
	Rank    string
	Title   string
	Href    string // its clauses, further down
	Kind    string // yes, no, unknown: matched, no, possible
	Word    string // Matched, No, Possible
	Pips    []Pip
	Hold    string // "4 of 5"
	Near    float64
	Open    bool // something is unknown: the bar is dashed
	Missing string
	Hit     bool
}

// SignatureDetail is one signature with its clauses.
type SignatureDetail struct {
	ID, Title, Href string // Href is the runbook's page for this instance
	Kind, Word      string
	Hold            string
	Groups          []ClauseGroup
}

// AtForm chooses the second that is judged.
type AtForm struct {
	Action   string
	Fields   []Field
	Value    string // RFC 3339, "" for now
	Says     string // "judged at 02:57:04"
	Earlier  string
	Later    string // "" when the present is shown
	Now      string // "" when the present is shown
	StepSays string // "10 s"
}

// ChooserPage asks for an instance.
type ChooserPage struct {
	Head, Sub string
	Clusters  []ChooserCluster
	Empty     string
}

// ChooserCluster is the instances of one cluster.
type ChooserCluster struct {
	Name      string
	Instances []ChooserInstance
}

// ChooserInstance is one instance to choose.
type ChooserInstance struct {
	Name, Role, Href string
	State            State
	Nearest          string // "Autovacuum stall: matched", "none of 6 matches"
}

// nearLine is the bar of a signature's distance: the tick at 90 is a match.
func nearLine(near float64) string { return fmt.Sprintf("M%.1f 10H90", min(near, 96)) }

func nearTip(near float64) string { return fmt.Sprintf("M%.1f 5V15", min(max(near, 1), 96)) }
