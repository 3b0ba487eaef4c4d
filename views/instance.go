package views

// Instance is the page of one server: what happened here.
type Instance struct {
	Crumbs     []Crumb
	State      State
	Now        string // "now ok, last stall 02:31:21"
	Says       string // the sentence
	Sub        string
	Ranges     []Range
	DiagHref   string
	Earlier    string // URLs of the neighbouring windows
	Later      string
	Back       string // to the live end, when it is not shown
	Stack      Stack
	Empty      string // instead of charts
	Twin       Twin
	Live       string // URL of the rail, fetched again each second
	Stalls     []Item
	StallsNone string
	Sources    []Item
	Unmeasured []Unmeasured
	Facts      []Fact
}

// Range is one choice of how much time is shown.
type Range struct {
	Label, Href string
	Current     bool
}

// Unmeasured is a chart that can't be drawn: why, and what would bring it.
type Unmeasured struct {
	Title, Why string
}
