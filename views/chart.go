package views

// Stack is a set of charts on one time axis.
type Stack struct {
	ID     string
	Data   string // URL of the numbers for the scripted charts
	Range  string // of the range shown: "5m"
	Live   bool   // seconds are appended as they come
	Diag   string // diagnosis page; the browser adds at=
	Left   []Chart
	Right  []Chart
	FromMs string
	ToMs   string
}

// Chart is one quantity over time, as the server draws it. Places are percents
// of the plot, written out.
type Chart struct {
	ID, Title, Scope, Unit string
	Label                  string // for a screen reader: name, range, lowest, highest
	Series                 []Series
	Ticks                  []Tick // up the left
	Times                  []Tick // along the foot, drawn on the last of a stack
	Axis                   bool
	Limit                  *Point
	Band                   *Rect
	Windows                []Rect
	Gaps                   []Rect
	Events                 []Point
	Callout                *Point
}

// Series is one line with its envelope.
type Series struct {
	Name  string // "" when it is the only one
	Class string // c1 to c6: its colour
	Lines []string
	Fills []string // envelope between lowest and highest second
	Last  Qty
}

// Tick is a line of the grid with its number.
type Tick struct {
	At, Label string
}

// Point is a labelled place in the plot.
type Point struct {
	X, Y, Label string
	Flip        bool // the label stands to the left
}

// Twin is the table of the same numbers.
type Twin struct {
	Says string
	Head []string
	Rows [][]string
	More string
}
