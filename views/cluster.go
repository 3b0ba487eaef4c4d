package views

// Cluster is the page of a primary and its standbys.
type Cluster struct {
	Crumbs  []Crumb
	Live    string
	State   State
	Says    string
	Sub     string
	Primary *Node
	Nodes   []Node // standbys
	Sync    string // what a commit waits for, in words
	Rows    []FleetRow
	Open    []OpenIncident
	Recent  []Item
	None    string // when Recent is empty
	Sources []Item
}

// Node is an instance in the picture of who streams from whom.
type Node struct {
	Name, Href string
	State      State
	Lines      []string
	Broken     bool // does not stream
}
