package views

// Spark is one quantity over a short time without axes: a trace beside its number.
type Spark struct {
	Box   string   // viewBox
	Lines []string // path data, one for each stretch without a gap
	Dots  []string // path data of single points between gaps
	Limit string   // y of the limit line, "" when there is none
	Width string   // width of Box, for the limit line
	Shade []Rect   // stall windows
	Tone  string   // "", "hot" at a limit, "calm"
	Label string   // what a screen reader says; "" hides it: the number stands beside it
}

// Rect is a box in SVG units or percents.
type Rect struct{ X, Y, W, H string }
