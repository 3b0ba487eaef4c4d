// Package views draws the pages: templ components and the view models they
// take. A view model holds what is shown, already worded and rounded; package
// web builds it. Nothing of ours is imported here.
package views

// Page is what the frame around every page shows.
type Page struct {
	Title     string
	Nav       string // which entry is current: fleet, incidents, runbooks, diagnosis
	Base      string // base path, "" or "/stallbook"
	Theme     string // "light" or "dark" after the reader's choice (cookie "theme"), else ""
	CSS, JS   []string
	Icon      string // URL of the icon
	Incidents string // how many are open, "" when none
	Clock     string // time of this page, 15:04:05, UTC
	NowMs     string // the same in Unix ms; ages in the browser count from it
	Events    string // URL of the event stream
	History   *Notice
	Muted     []string // clusters whose incidents open silently now, and why
	Demo      *DemoBar
	Foot      string // one sentence on where this page's numbers come from
	Version   string
}

// Notice is one line below the bar: what stopped, since when, what mends it.
type Notice struct {
	Says  string
	Since string
}

// DemoBar says that this is a demo and carries its buttons.
type DemoBar struct {
	Says    string
	Action  string // URL the buttons post to
	Buttons []DemoButton
}

// DemoButton makes one harmless stall.
type DemoButton struct {
	ID, Title, Says string
	Busy            bool
}

// Crumb is one step of the path to this page; the last has no Href.
type Crumb struct {
	Label, Href string
}

// Qty is a number with its unit, or its absence with the reason.
type Qty struct {
	Num  string // "" when absent
	Unit string
	Why  string // why it is absent; or a remark on the number
	Loud bool   // worth bold: over its limit, or the reason for the state
}

// Age is how old something is, kept current by the browser.
type Age struct {
	Text string // "2 s ago"; also what a reader without scripts sees
	Ms   string // when it was, Unix ms; "" when never
	Bare bool   // the browser writes "2 s" without "ago"
}

// State is what an instance or an incident is in: shape, word, colour.
type State struct {
	Kind string // ok, degraded, stall, outage, risk, nodata, hydrating
	Word string // "OK", "No data, 42 s"
}
