package views

// Clause is one row of evidence: what is asked, what was seen, what it is
// measured against, and the answer.
type Clause struct {
	ID        string
	Verdict   string // yes, no, unknown
	Word      string // "Yes", "No", "Unknown"
	Says      string
	Detail    string // signal, window, usual value
	Observed  Qty
	Threshold string // "≥ 1,425 /s"
	Override  string // "library says 1,350 /s", where a cluster changed it
	Why       string // why it is unknown, and what would make it known
	SeeLabel  string // page to read instead, for a clause that rules out
	SeeHref   string
	Gauge     Gauge
	At        string // second of the observed value
}

// ClauseGroup is a run of clauses with one purpose.
type ClauseGroup struct {
	Title   string // "A cause, alive or just ended"
	Clauses []Clause
}

// Gauge places a value against its threshold, which is always the middle. The
// scale is logarithmic: a factor of eight to each side.
type Gauge struct {
	Known bool
	Pos   float64 // 0 to 100; 50 is the threshold and the right half holds
	Holds bool
}

// Pip is one clause as a small square.
type Pip struct {
	Verdict string // yes, no, unknown
	Rules   bool   // it rules out: drawn round
	Says    string
}
