package views

// Settings is the page of what the program keeps, asks for and may not ask for.
type Settings struct {
	Head, Sub  string
	Denied     []Item // actions AWS refuses, with what is switched off by it
	Use        []Item // requests and their price, by action
	Monitoring []Item // what Enhanced Monitoring costs, by instance
	History    []Fact
	NoCloud    bool // nothing of AWS is configured
}
