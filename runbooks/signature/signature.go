// Package signature judges clauses against the Window. It is pure: Compile
// turns YAML into a Signature, and Judge gives the same answer for the same
// data at the same time, live, in a replay and in a test.
//
// A clause is one observed value, a comparison, a threshold and a window; its
// verdict is yes, no or unknown. A signature matches when every clause of `all`
// holds, one form of `any` holds and no clause of `none` does. What nobody
// measured is unknown, and an unknown clause leaves the signature possible.
package signature

import (
	"time"

	"stallbook/store"
)

// Signature is a compiled signature.yaml.
type Signature struct {
	Slug     string
	Role     store.Role     // RoleUnknown: any role
	Severity store.Severity // while no escalation holds
	Hold     time.Duration  // it must match this long before an incident opens
	Release  time.Duration  // it must not match this long before the incident closes
	Explains []string       // slugs that are this one's effect: they become its runner-up
	Fallback bool           // an effect without a named cause: yields to every other signature
	Specific int            // number of clauses, the rank among matches

	clauses  []*clause // all, forms, none, escalations, in page order
	forms    []form
	steps    []escalation
	summary  map[string]string // by severity, form, or "default"
	nAll     int
	needsMax int // longest window, seconds
}

type form struct {
	name, says string
	clauses    []int
	together   bool
	measured   []int // clauses that must have been measured: the form alone proves too little
}

type escalation struct {
	to      store.Severity
	clauses []int
}

type clause struct {
	id, says  string
	group     store.Group
	form      string
	signal    store.SignalID
	unit      string
	fact      string
	is, isNot []string
	on        string // "", primary, standbys
	over      int64  // seconds
	stat      stat
	above     bool
	threshold threshold
	clear     *threshold
	events    *events
	waive     store.Severity // an unmeasured signal caps the severity instead of blocking the match
	see       string
	points    int
	cause     bool // names the cause: it may go on longer than what users suffer
	seconds   *seconds
	labelNot  []string   // prefixes of labels that do not count
	labelIs   *condition // what must be known of a label, where that signal is measured at all
}

type stat string

const (
	statLast   stat = "last"
	statMax    stat = "max"
	statMin    stat = "min"
	statAvg    stat = "avg"
	statSum    stat = "sum"
	statP50    stat = "p50"
	statP90    stat = "p90"
	statEvents stat = "events"
	statAtOnce stat = "at once"
)

// threshold is a number, a share of another signal, or a multiple of what is
// usual here.
type threshold struct {
	kind  thresholdKind
	value float64        // constant
	of    store.SignalID // ofSignal
	times float64
	plus  float64
	floor float64
}

type thresholdKind uint8

const (
	constant thresholdKind = iota
	ofSignal
	ofBaseline
)

// events counts moments at which a signal passes a threshold close to another
// signal's, and not close to a third one's.
type events struct {
	signal    store.SignalID
	threshold threshold
	near      []condition
	within    int64 // seconds to either side
	unless    []condition
	clear     int64 // seconds to either side in which unless must not hold
	steady    *steady
}

// steady is a signal whose median around an event must stay low, or the moment
// is another kind of stall and does not count.
type steady struct {
	signal    store.SignalID
	threshold threshold
	half      int64 // seconds to either side
}

// seconds counts those in which other clauses hold at once, within slack.
type seconds struct {
	all      []int   // clauses, those that nobody measures left out
	any      [][]int // one of these groups
	slack    int64
	decisive int        // clause whose passing of decisively counts a second twice, -1 none
	degree   *threshold // how far decisive must be past it
}

type condition struct {
	signal store.SignalID
	above  float64
}

// Clauses lists the ids of all clauses, for overrides by id.
func (s *Signature) Clauses() []string {
	ids := make([]string, len(s.clauses))
	for i, c := range s.clauses {
		ids[i] = c.id
	}
	return ids
}

// Baselines lists the signals whose usual value the signature needs.
func (s *Signature) Baselines() []store.SignalID {
	var out []store.SignalID
	for _, c := range s.clauses {
		if c.threshold.kind == ofBaseline {
			out = append(out, c.signal)
		}
		if c.events != nil {
			out = append(out, c.events.baselines()...)
		}
	}
	return out
}

func (e *events) baselines() []store.SignalID {
	var out []store.SignalID
	if e.threshold.kind == ofBaseline {
		out = append(out, e.signal)
	}
	if e.steady != nil && e.steady.threshold.kind == ofBaseline {
		out = append(out, e.steady.signal)
	}
	return out
}

// Window is the longest stretch of the past that a clause looks at.
func (s *Signature) Window() time.Duration { return time.Duration(s.needsMax) * time.Second }
