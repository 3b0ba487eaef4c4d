package views

// IncidentList is the incidents, open ones first, then by day.
type IncidentList struct {
	Head, Sub string
	Filter    IncidentFilter
	Groups    []IncidentGroup
	Empty     string
	More      *Crumb // older ones
}

// IncidentFilter is the form above the list.
type IncidentFilter struct {
	Action  string
	Choices []Choice
	Clear   string // href without a filter, "" when there is none
}

// Choice is one field of a filter.
type Choice struct {
	Name, Label string
	Options     []Option
}

// Option is one value of a choice.
type Option struct {
	Value, Label string
	Selected     bool
}

// IncidentGroup is the open incidents, or those of one day.
type IncidentGroup struct {
	Title string
	End   string // "3 incidents, 59 s in all"
	Items []IncidentItem
}

// IncidentItem is one incident in the list.
type IncidentItem struct {
	ID, Href string
	State    State
	Says     string
	Opened   string
	Lasted   string // of a closed one
	Age      *Age   // of an open one, counted on by the browser
	Where    string
	Book     Crumb
	Note     string // clearing, muted
}

// IncidentPage answers: what, since when, who is hit, what next.
type IncidentPage struct {
	Crumbs   []Crumb
	State    State
	Opened   string // "opened 02:56:28"
	Lasted   string
	Age      *Age
	Phase    string // "still open", "clearing", "closed 02:57:31"
	Muted    string
	Head     string
	Book     Crumb
	Matches  string // "in 5 of 5 clauses"
	Runner   string // "Runner-up: ..."
	All      Crumb  // all signatures, at the worst second
	Report   []Crumb
	Live     string
	Impact   []Impact
	NextHead PanelHead
	Next     []Step
	NextSays string
	NextLink Crumb // the whole page
	Charts   []ChartPanel
	Window   string // "02:55:27 to 02:58:31"
	Evidence ClausePanel
	Runners  []LookAlike
	Timeline []Moment
	Foot     string
}

// Impact is one number that says how bad it is.
type Impact struct {
	Title string
	Value Qty
	Age   *Age // instead of Value, counted on by the browser
	Ref   string
	Hot   bool
}

// Moment is one line of a timeline.
type Moment struct {
	At, Full string // shown, and the whole time
	Icon     string
	Says     string
	Who      string
}
