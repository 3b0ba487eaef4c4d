package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// View is the Window while it is held for reading.
type View struct {
	w       *Window
	primary map[string]*Instance
}

// Refs lists the instances, sorted by cluster and name.
func (v View) Refs() []Ref {
	refs := make([]Ref, 0, len(v.w.instances))
	for r := range v.w.instances {
		refs = append(refs, r)
	}
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.Instance, b.Instance))
	})
	return refs
}

// Instance returns one instance, or nil.
func (v View) Instance(ref Ref) *Instance { return v.w.instances[ref] }

// Primary returns the cluster's primary, or nil.
func (v View) Primary(cluster string) *Instance { return v.primary[cluster] }

// Fact is a named text that seldom changes.
type Fact struct {
	Value string
	Since time.Time // when this value was first seen
}

// Instance is one server within a View.
type Instance struct {
	Ref
	Role      Role
	RoleSince time.Time

	series  [][]*Series // by SignalID, then by label, "" first where it exists
	facts   map[string]Fact
	sources []*SourceStatus
	newest  int64   // second of the newest reading of any source
	late    []int64 // seconds that got readings after newer ones were there
}

// Get returns one series, or nil.
func (in *Instance) Get(id SignalID, label string) *Series {
	for _, s := range in.series[id] {
		if s.Label == label {
			return s
		}
	}
	return nil
}

// All returns the series of a signal, one for each label.
func (in *Instance) All(id SignalID) []*Series { return in.series[id] }

// Last returns the newest value of an unlabelled signal if it is no older than
// maxAge at now.
func (in *Instance) Last(id SignalID, now time.Time, maxAge time.Duration) (Point, bool) {
	s := in.Get(id, "")
	if s == nil {
		return Point{}, false
	}
	p, ok := s.Last()
	return p, ok && now.Sub(p.At) <= maxAge
}

// Fact returns a fact; ok is false when nobody read it.
func (in *Instance) Fact(name string) (Fact, bool) {
	f, ok := in.facts[name]
	return f, ok
}

// Facts returns a copy of all facts.
func (in *Instance) Facts() map[string]Fact {
	out := make(map[string]Fact, len(in.facts))
	for k, v := range in.facts {
		out[k] = v
	}
	return out
}

// Sources returns how each source fares, by name.
func (in *Instance) Sources() []SourceStatus {
	out := make([]SourceStatus, 0, len(in.sources))
	for _, s := range in.sources {
		c := *s
		c.Notes = slices.Clone(s.Notes)
		out = append(out, c)
	}
	return out
}

// HasSource reports whether any of the named sources is configured.
func (in *Instance) HasSource(names []string) bool {
	return slices.ContainsFunc(in.sources, func(s *SourceStatus) bool { return slices.Contains(names, s.Source) })
}

func (in *Instance) source(name string) *SourceStatus {
	i, found := slices.BinarySearchFunc(in.sources, name, func(s *SourceStatus, n string) int { return strings.Compare(s.Source, n) })
	if !found {
		in.sources = slices.Insert(in.sources, i, &SourceStatus{Source: name})
	}
	return in.sources[i]
}

func (s *SourceStatus) saw(b Batch) {
	if b.At.Before(s.LastTry) {
		return
	}
	s.LastTry = b.At
	s.OK = b.Err == "" && !b.saysFailed()
	if b.Err != "" || s.OK {
		s.Message = b.Err
	}
	if s.OK {
		s.LastOK = b.At
		if !b.Newest.IsZero() {
			s.LastOK = b.Newest
		}
		s.Notes = b.Notes
	}
}

// saysFailed reports whether the source's own signal says that it failed: the
// history gives back the signals of a failed reading without its words.
func (b *Batch) saysFailed() bool {
	return slices.ContainsFunc(b.Samples, func(s Sample) bool { return s.Signal == sourceOK && s.Label == b.Source && s.N == 0 })
}

// learn takes role and facts and says in words what changed.
func (in *Instance) learn(b Batch) []Event {
	var out []Event
	event := func(kind, text string) {
		out = append(out, Event{At: b.At, Ref: b.Ref, Kind: kind, Text: text})
	}
	if b.Role != RoleUnknown && b.Role != in.Role {
		if in.Role != RoleUnknown {
			event("promotion", fmt.Sprintf("%s is %s now, it was %s; what is usual is learnt anew", in.Ref.Instance, b.Role, in.Role))
			in.forgetBaselines()
		}
		in.Role, in.RoleSince = b.Role, b.At
	}
	if b.Restart {
		in.forgetBaselines()
	}
	for name, value := range b.Facts {
		old, known := in.facts[name]
		if known && old.Value == value {
			continue
		}
		in.facts[name] = Fact{value, b.At}
		if known && strings.HasPrefix(name, "pg.setting.") {
			event("setting", fmt.Sprintf("%s: %q is now %q", strings.TrimPrefix(name, "pg.setting."), old.Value, value))
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return strings.Compare(a.Text, b.Text) })
	return out
}

func (in *Instance) forgetBaselines() {
	for _, list := range in.series {
		for _, s := range list {
			s.Baseline = nil
		}
	}
}

// clockSources are read at the time they name: when theirs goes back by more than
// the Window holds, the clock was set back, and late data is not what it is.
var clockSources = []string{"postgres", "nodeexporter", ReplaySource}

// clockBack starts an instance anew when its clock was set back: readings would
// otherwise count as too late until the clock has caught up.
func (in *Instance) clockBack(b Batch) []Event {
	back := in.newest - b.At.Unix()
	if back < WindowSeconds || !slices.Contains(clockSources, b.Source) {
		return nil
	}
	in.series, in.newest, in.late = make([][]*Series, len(catalogue)), 0, nil
	for _, s := range in.sources {
		s.LastTry, s.LastOK = time.Time{}, time.Time{}
	}
	return []Event{{At: b.At, Ref: b.Ref, Kind: "clock", Text: fmt.Sprintf("the clock went back by %d s; what is usual is learnt anew", back)}}
}

// lateBy is how far behind the newest reading another one must be to count as
// late: sources of one tick are read within a second of each other.
const lateBy = 3

// noteLate remembers a second that was judged before this reading came.
func (in *Instance) noteLate(sec int64, samples int) {
	switch {
	case samples == 0:
	case sec > in.newest:
		in.newest = sec
	case in.newest-sec >= lateBy && in.newest-sec < WindowSeconds && len(in.late) < WindowSeconds:
		in.late = append(in.late, sec)
	}
}

// take finds or makes a series; nil when the signal has too many labels.
func (in *Instance) take(id SignalID, label string, sec int64) *Series {
	if s := in.Get(id, label); s != nil {
		return s
	}
	list := in.series[id]
	if len(list) >= labelLimit {
		list = slices.DeleteFunc(list, func(s *Series) bool { return s.newest < sec-WindowSeconds })
		in.series[id] = list
		if len(list) >= labelLimit {
			return nil
		}
	}
	s := &Series{Signal: id, Label: label}
	if label == "" {
		in.series[id] = slices.Insert(list, 0, s)
	} else {
		in.series[id] = append(list, s)
	}
	return s
}
