package store

import "slices"

// SignalID names a signal within one run of the program. It is an index into
// the catalogue and is never written to disk: files keep the signal's name.
type SignalID uint16

// Kind says how a sample's integer becomes the signal's value.
type Kind uint8

const (
	// Gauge: value = N * Scale.
	Gauge Kind = iota
	// Rate: N counts what happened since the source's previous reading;
	// value = N * Scale / elapsed seconds. No value without an elapsed time.
	Rate
	// Events: N counts what happened since the previous sample; value = N * Scale.
	Events
	// Derived: computed on read from other signals, never stored.
	Derived
)

// Signal describes one named number over time.
type Signal struct {
	Name    string   // disk.read_iops
	Unit    string   // shown behind the number: "/s", "ms", "KiB/s", "sessions"
	Kind    Kind     //
	Scale   float64  // value of N = 1 (for Rate: of one N in one second)
	Label   string   // name of its label (table, source), "" when it has none
	Meaning string   // one clause for a person
	Sources []string // which sources can give it, the most trusted first
}

// Info returns the catalogue entry of id.
func (id SignalID) Info() *Signal { return &catalogue[id] }

// Name returns the signal's name.
func (id SignalID) Name() string { return catalogue[id].Name }

// Signals returns the whole catalogue, indexed by SignalID.
func Signals() []Signal { return slices.Clone(catalogue) }

// Lookup finds a signal by name.
func Lookup(name string) (SignalID, bool) {
	id, ok := byName[name]
	return id, ok
}

// MustLookup is Lookup for names written in our own code.
func MustLookup(name string) SignalID {
	id, ok := byName[name]
	if !ok {
		panic("store: no signal " + name)
	}
	return id
}

// NearestSignal returns the catalogue name closest to a misspelt one.
func NearestSignal(name string) string {
	names := make([]string, len(catalogue))
	for i := range catalogue {
		names[i] = catalogue[i].Name
	}
	return Nearest(name, names)
}

// Nearest returns the candidate with the smallest edit distance to word, or ""
// when none is within half the word's length: a far-fetched hint misleads.
func Nearest(word string, candidates []string) string {
	best, bestD := "", len(word)/2+1
	for _, c := range candidates {
		if d := editDistance(word, c); d < bestD {
			best, bestD = c, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
