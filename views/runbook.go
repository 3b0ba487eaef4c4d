package views

// RunbookPage is one runbook, for an instance or without one.
type RunbookPage struct {
	Crumbs   []Crumb
	State    State  // severity: of what is going on, or of what the page is about
	Now      bool   // it is going on: the severity is drawn as a state
	Verdict  *Pip   // for an instance where it does not match: shown instead
	Kicker   string // "matches 4 of 4, judged at 02:29:57"
	Head     string
	Sub      string
	Notes    []string // a user's folder replaces it, thresholds are overridden
	Instance string   // "" without one
	Change   string   // href that asks for another instance
	Diagnose string   // href of all signatures for this instance
	Incident *Crumb
	Flow     []FlowPart
	Brief    []string
	Live     string // URL of the parts that are drawn anew with each tick; "" for a past second
	Is       ClausePanel
	Charts   []ChartPanel
	Checks   []Step
	Fixes    []Step
	Verifies []Step
	Like     []LookAlike
	Signs    []PageSection // what one sees, beside the clauses
	Stop     []PageSection // what to do at once
	Undo     []PageSection // after the fixes
	Sections []PageSection // the background

	FixProse, VerifyProse string // HTML that introduces the steps
	Chooser               *ChooserPage
	Foot                  string
}

// FlowPart is one part of the page in the line at its top.
type FlowPart struct {
	Href, Title, Kind, Says string
}

// ClausePanel is the evidence with what it says in sum.
type ClausePanel struct {
	Title  string
	Scope  string // "4 of 4 hold"
	End    string // "events-1, 02:29:57"
	Groups []ClauseGroup
	Empty  string
}

// ChartPanel is a short chart beside the evidence.
type ChartPanel struct {
	Chart Chart
}

// LookAlike is a page that is easily mistaken for this one.
type LookAlike struct {
	Title, Href string
	Kind, Word  string // its verdict here, "" without an instance
	Says        string
}

// PageSection is prose of the page. HTML comes from the runbook's Markdown with
// raw HTML off.
type PageSection struct {
	ID, Title, HTML string
}

// RunbookList is the library.
type RunbookList struct {
	Head, Sub string
	Groups    []RunbookGroup
	Empty     string
}

// RunbookGroup is the runbooks of one severity.
type RunbookGroup struct {
	State State
	Says  string // what the severity means
	Books []RunbookItem
}

// RunbookItem is one runbook in the list.
type RunbookItem struct {
	Title, Href string
	Says        string
	Aside       string
	Matches     []Crumb // where it matches right now
}
