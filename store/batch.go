package store

import (
	"math"
	"time"
)

// Ref names one instance within its cluster.
type Ref struct {
	Cluster  string `json:"cluster"`
	Instance string `json:"instance"`
}

// String returns cluster/instance.
func (r Ref) String() string { return r.Cluster + "/" + r.Instance }

// Role is what an instance does in its cluster.
type Role string

// The roles; the zero value means that nobody said yet.
const (
	RoleUnknown Role = ""
	RolePrimary Role = "primary"
	RoleStandby Role = "standby"
)

// Sample is one reading as its source gave it: an integer in the signal's
// stored unit (see Signal.Scale). A labelled signal that is known to have no
// labels now (no vacuum runs) is one Sample with Label "" and N 0.
type Sample struct {
	Signal SignalID
	Label  string
	N      int64
}

// Value converts the stored integer. ok is false for a rate without a known
// elapsed time: a first reading has no rate, which is unknown and not 0.
func (s Sample) Value(elapsed time.Duration) (v float64, ok bool) {
	info := s.Signal.Info()
	switch info.Kind {
	case Rate:
		if elapsed <= 0 {
			return 0, false
		}
		return float64(s.N) * info.Scale / elapsed.Seconds(), true
	default:
		return float64(s.N) * info.Scale, true
	}
}

// SampleOf is the inverse of Value: it rounds a value in the signal's unit to
// the stored integer. Readings that come as rates are taken over elapsed.
func SampleOf(id SignalID, label string, v float64, elapsed time.Duration) Sample {
	info := id.Info()
	n := v / info.Scale
	if info.Kind == Rate {
		n *= elapsed.Seconds()
	}
	return Sample{id, label, int64(math.Round(n))}
}

// Batch is what one source read from one instance at one moment. The same value
// goes to the Window, the history and a recording.
type Batch struct {
	Ref
	Source  string
	At      time.Time         // when it was read (UTC)
	Elapsed time.Duration     // since the source's previous reading; 0 = no rates in this batch
	Role    Role              // RoleUnknown when this source can't tell
	Samples []Sample          //
	Facts   map[string]string // facts read this time; a fact that is absent keeps its last value
	Err     string            // why the source failed, in words; Samples may be empty
	Notes   []string          // what it could not see though it answered, each with the GRANT or setting that mends it
	Events  []Event           // what happened to the instance itself: statistics reset, restart, promotion
	Newest  time.Time         // how far the readings of a source reach that answers late; zero = up to At
	Restart bool              // the instance is another one now (promotion, failover, new system identifier): baselines start anew
}

// Event is a line of an instance's timeline.
type Event struct {
	At       time.Time `json:"at"`
	Ref      `json:"-"`
	Kind     string `json:"kind"` // reset, restart, promotion, clock, setting, incident, run, source
	Text     string `json:"text"`
	Incident string `json:"incident,omitempty"`
}

// Point is one value of a series at one second.
type Point struct {
	At time.Time
	V  float64
}

// Bucket is a stretch of a series: its lowest and highest second, or a gap.
type Bucket struct {
	AtMs     int64 // start, Unix ms
	Min, Max float64
	Gap      bool // no second of it has a value
}

// SourceStatus says how one source of an instance fares.
type SourceStatus struct {
	Source  string
	OK      bool
	LastOK  time.Time     // zero: never
	LastTry time.Time     //
	Every   time.Duration // how often it is read; 0 unknown
	Took    time.Duration // its last reading
	Message string        // why it fails, in words; "" when ok
	Notes   []string      // what it can't see, with the remedy
}

// Age is how old the source's last good reading is at now; ok is false when
// there never was one.
func (s SourceStatus) Age(now time.Time) (age time.Duration, ok bool) {
	if s.LastOK.IsZero() {
		return 0, false
	}
	return max(0, now.Sub(s.LastOK)), true
}
