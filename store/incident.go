package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// Severity orders incidents by what users suffer.
type Severity string

// The severities from the least to the worst.
const (
	Risk     Severity = "risk"
	Degraded Severity = "degraded"
	Stall    Severity = "stall"
	Outage   Severity = "outage"
)

// Rank is 1 for risk up to 4 for outage, and 0 for anything else.
func (s Severity) Rank() int {
	switch s {
	case Risk:
		return 1
	case Degraded:
		return 2
	case Stall:
		return 3
	case Outage:
		return 4
	}
	return 0
}

// Worse returns the worse of two severities.
func Worse(a, b Severity) Severity {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// Verdict is a clause's answer. Kleene logic: and = min, or = max, not = negate.
type Verdict int8

// The verdicts. The zero value is Unknown: what nobody measured is not No.
const (
	No      Verdict = -1
	Unknown Verdict = 0
	Yes     Verdict = 1
)

// String returns yes, no or unknown.
func (v Verdict) String() string {
	switch v {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unknown"
}

// MarshalText writes yes, no or unknown.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (v *Verdict) UnmarshalText(b []byte) error {
	switch string(b) {
	case "yes":
		*v = Yes
	case "no":
		*v = No
	case "unknown":
		*v = Unknown
	default:
		return fmt.Errorf("verdict %q is none of yes, no, unknown", b)
	}
	return nil
}

// Group says what a clause is for within its signature.
type Group string

// The groups of clauses.
const (
	GroupAll      Group = "all"      // must hold
	GroupForm     Group = "form"     // one of several forms must hold
	GroupNone     Group = "none"     // rules the signature out
	GroupEscalate Group = "escalate" // raises the severity
)

// Evidence is one clause with the value it saw: it travels unchanged from the
// evaluation to the stored incident to the page.
type Evidence struct {
	Clause    string     `json:"clause"`
	Group     Group      `json:"group"`
	Form      string     `json:"form,omitempty"` // form or escalation it belongs to
	Says      string     `json:"says"`           // sentence with the numbers filled in
	Signal    string     `json:"signal"`         // or fact
	Instance  string     `json:"instance"`       // where it was observed
	Label     string     `json:"label,omitempty"`
	Observed  *float64   `json:"observed"`       // null when unknown
	Text      string     `json:"text,omitempty"` // observed, when it is a fact
	Compare   string     `json:"compare"`        // ≥, ≤, is, is not
	Threshold *float64   `json:"threshold"`
	ThreshTxt string     `json:"threshold_text,omitempty"`    // threshold, when it is a fact
	Default   *float64   `json:"default_threshold,omitempty"` // the library's value where a cluster overrides it
	Set       *float64   `json:"set,omitempty"`               // the number that the cluster gave
	Library   *float64   `json:"library,omitempty"`           // the number of the library in its place
	Usual     *float64   `json:"usual,omitempty"`             // baseline median the threshold comes from
	Unit      string     `json:"unit"`
	WindowS   float64    `json:"window_s"`
	Stat      string     `json:"stat,omitempty"`
	Verdict   Verdict    `json:"verdict"`
	Why       string     `json:"why,omitempty"` // why unknown, and what would make it known
	See       string     `json:"see,omitempty"` // runbook to read instead, for a clause that rules out
	At        *time.Time `json:"at"`            // second of the observed value, null when unknown
}

// Shortfall is how far the clause is from holding on the gauge's log scale:
// 0 holds, 1 a factor of 8 or more away, 0.5 unknown.
func (e Evidence) Shortfall() float64 { return shortfall(e) }

// MatchVerdict is a signature's answer.
type MatchVerdict string

// The signature verdicts.
const (
	Matched  MatchVerdict = "matched"
	Possible MatchVerdict = "possible" // nothing speaks against it, something is unknown
	NoMatch  MatchVerdict = "no"
)

// Diagnosis is one signature judged on one instance at one moment.
type Diagnosis struct {
	Runbook  string       `json:"runbook"`
	Title    string       `json:"title,omitempty"`
	Verdict  MatchVerdict `json:"verdict"`
	Severity Severity     `json:"severity"`
	Form     string       `json:"form,omitempty"` // the form that holds
	Summary  string       `json:"summary"`        // verdict sentence with names and numbers
	Missing  string       `json:"missing"`        // what would have to change for it to match
	Hold     int          `json:"hold"`           // clauses that hold, of Needed
	Needed   int          `json:"needed"`
	Distance float64      `json:"distance"` // 0 matches, 1 far
	Clauses  []Evidence   `json:"clauses"`
}

// State is where an incident stands in its life.
type State string

// The states in order. Pending ones are not shown as incidents.
const (
	StatePending  State = "pending"
	StateOpen     State = "open"
	StateClearing State = "clearing"
	StateClosed   State = "closed"
)

// RunnerUp is another signature that matched on the same stall.
type RunnerUp struct {
	Runbook  string     `json:"runbook"`
	Instance string     `json:"instance"`
	Since    time.Time  `json:"since"`
	Clauses  []Evidence `json:"clauses"`
}

// Incident is a signature that matched on an instance, from open to close.
type Incident struct {
	ID       string     `json:"id"`
	Cluster  string     `json:"cluster"`
	Instance string     `json:"instance"`
	Runbook  string     `json:"runbook"`
	Form     string     `json:"form,omitempty"`
	Severity Severity   `json:"severity"`       // worst reached
	SevereAt time.Time  `json:"severity_since"` // when it became as severe as that
	State    State      `json:"state"`
	OpenedAt time.Time  `json:"opened_at"` // time of the match in the data
	LearntAt time.Time  `json:"learnt_at"` // wall time
	WorstAt  time.Time  `json:"worst_at"`
	LastYes  time.Time  `json:"last_match_at"` // last second in which its effect was seen
	ClosedAt *time.Time `json:"closed_at"`
	Summary  string     `json:"summary"`
	Evidence []Evidence `json:"evidence"` // at the worst moment
	Opening  []Evidence `json:"opening_evidence"`
	Runners  []RunnerUp `json:"runners_up"`
	Timeline []Event    `json:"timeline"`
	Muted    string     `json:"muted,omitempty"` // why, while a mute window covered its opening
}

// Ref returns the instance the incident is on.
func (i *Incident) Ref() Ref { return Ref{i.Cluster, i.Instance} }

// Ongoing reports whether the incident is open or clearing.
func (i *Incident) Ongoing() bool { return i.State == StateOpen || i.State == StateClearing }

// Duration is how long the incident lasted, or has lasted at now.
func (i *Incident) Duration(now time.Time) time.Duration {
	if i.ClosedAt != nil {
		return i.LastYes.Sub(i.OpenedAt)
	}
	return now.Sub(i.OpenedAt)
}

// SevereSince is when the incident became as severe as it is; records of earlier
// versions do not say, and then it is its opening.
func (i *Incident) SevereSince() time.Time {
	if i.SevereAt.IsZero() {
		return i.OpenedAt
	}
	return i.SevereAt
}

// Clone returns a deep copy, so that a reader never shares slices with the matcher.
func (i *Incident) Clone() *Incident {
	b, err := json.Marshal(i)
	if err != nil {
		panic("store: incident does not marshal: " + err.Error())
	}
	out := new(Incident)
	if err := json.Unmarshal(b, out); err != nil {
		panic("store: incident does not unmarshal: " + err.Error())
	}
	return out
}

// IncidentFilter selects incidents; zero fields select all.
type IncidentFilter struct {
	State    State // StateOpen includes clearing
	Cluster  string
	Instance string
	Runbook  string
	From, To time.Time // opened within
	Limit    int
}

// StepResult is what a check said.
type StepResult string

// The results of a step.
const (
	Pass          StepResult = "pass"
	Fail          StepResult = "fail"
	ResultUnknown StepResult = "unknown" // could not run or could not be judged
)

// StepRun is one execution of a step, kept.
type StepRun struct {
	ID       string        `json:"id"`
	Runbook  string        `json:"runbook"`
	Step     string        `json:"step"`
	Cluster  string        `json:"cluster"`
	Instance string        `json:"instance"`
	Incident string        `json:"incident,omitempty"`
	Who      string        `json:"who"`
	At       time.Time     `json:"at"`
	Took     time.Duration `json:"took_ns"`
	Result   StepResult    `json:"result"`
	Says     string        `json:"says"` // the judged sentence with the number
	Columns  []string      `json:"columns"`
	Rows     [][]string    `json:"rows"`
	More     bool          `json:"more"` // rows were cut
}
