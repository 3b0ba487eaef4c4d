package views

// Fleet is the first page: is anything wrong, and where.
type Fleet struct {
	Live   string // URL of this fragment
	Cells  []Cell
	Says   []Part // "30 instances in 12 clusters: 2 in trouble, ..."
	Open   []OpenIncident
	More   []OpenIncident // further ones, a line each
	Rows   []FleetRow
	Ended  []Item
	Quiet  string // what Ended says when it is empty
	Silent []Item
	Awaits string // instead of everything, before the first instance is known
}

// Part is a run of text, bold or not.
type Part struct {
	Text string
	Bold bool
}

// Cell is one instance in the strip.
type Cell struct {
	Kind, Name, Word, Href string
}

// OpenIncident is an incident as the fleet tells it: one sentence, three traces.
type OpenIncident struct {
	ID       string
	State    State
	Tone     string // outage, stall or act: the bar at the left
	Where    string
	Since    string
	Lasted   Age
	Muted    string
	Says     string
	Facts    []Fact
	Href     string
	PageHref string
	Traces   []Trace
	From, To string // the time the traces span
}

// Fact is a name and what holds for it.
type Fact struct {
	Name, Says, Href string
}

// Trace is a spark line with its name and its number.
type Trace struct {
	Title, Scope string
	Value        Qty
	Ref          string // "usual 0", "100 % of limit"
	Spark        Spark
}

// FleetRow is one instance in the table.
type FleetRow struct {
	ID         string
	Class      string // bad, warn, mute, fine
	Name, Href string
	Role       string
	State      State
	P50, P99   Qty
	Spark      Spark
	IOPS       Qty
	Limit      Qty
	Throughput Qty
	MeanIO     Qty
	Waits      Qty
	Lag        Qty
	Age        Age
}

// Item is an entry of a list in the rail: an ended incident, a silent source.
type Item struct {
	ID, Title, Href string
	Chip            *State
	Aside           string
	AsideAge        *Age
	Says            string
	Code            string // a GRANT or a setting, to be copied
}
