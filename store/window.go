package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// WindowSeconds is how much of each series the Window keeps at one second.
const WindowSeconds = 512

// labelLimit bounds the labels of one signal of one instance: a server that
// vacuums ten thousand tables must not fill our memory.
const labelLimit = 128

// Window holds the last minutes of every instance in memory. It is what the
// signatures read. Sources push into it before anything is written to disk, so
// that a full disk never blinds the detector.
type Window struct {
	mu        sync.RWMutex
	instances map[Ref]*Instance
	baselined []bool // by SignalID
}

// NewWindow returns an empty Window that keeps baselines of these signals.
func NewWindow(baselines []SignalID) *Window {
	w := &Window{instances: map[Ref]*Instance{}, baselined: make([]bool, len(catalogue))}
	for _, id := range baselines {
		w.baselined[id] = true
	}
	return w
}

// Declare makes an instance and one of its sources known before the first
// reading, so that a silent one is shown as silent and not left out.
func (w *Window) Declare(ref Ref, source string, every time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instance(ref).source(source).Every = every
}

// Remove forgets an instance.
func (w *Window) Remove(ref Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.instances, ref)
}

// Push takes one batch and returns what it changed on the instance: its role,
// its settings.
func (w *Window) Push(b Batch) []Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := w.instance(b.Ref)
	in.source(b.Source).saw(b)
	changes := in.learn(b)
	sec := b.At.Unix()
	for _, s := range b.Samples {
		if v, ok := s.Value(b.Elapsed); ok {
			w.put(in, s.Signal, s.Label, b.Source, sec, v)
		}
	}
	w.derive(in, b.Source, sec, b.Samples)
	return changes
}

func (w *Window) instance(ref Ref) *Instance {
	in := w.instances[ref]
	if in == nil {
		in = &Instance{Ref: ref, series: make([][]*Series, len(catalogue)), facts: map[string]Fact{}}
		w.instances[ref] = in
	}
	return in
}

func (w *Window) put(in *Instance, id SignalID, label, source string, sec int64, v float64) {
	s := in.take(id, label, sec)
	if s == nil || !s.accepts(source, sec) {
		return
	}
	s.put(sec, v)
	s.Source = source
	if w.baselined[id] {
		if s.Baseline == nil {
			s.Baseline = NewBaseline()
		}
		s.Baseline.Push(sec, v)
	}
}

// derive computes the derived signals whose inputs this batch brought.
func (w *Window) derive(in *Instance, source string, sec int64, samples []Sample) {
	for _, d := range derivations {
		for _, label := range derivedLabels(d, samples) {
			vals := make([]float64, 0, 4)
			for _, input := range d.Inputs {
				s := in.Get(input, label)
				if s == nil {
					if label == "" || in.Get(input, "") == nil {
						break
					}
					vals = append(vals, 0) // the signal was read and this label was not among its labels
					continue
				}
				v, ok := s.At(sec)
				if !ok && label != "" {
					v, ok = 0, true
				}
				if !ok {
					break
				}
				vals = append(vals, v)
			}
			if len(vals) != len(d.Inputs) {
				continue
			}
			if v, ok := d.Of(vals); ok {
				w.put(in, d.Signal, label, source, sec, v)
			}
		}
	}
}

// derivedLabels lists the labels for which a batch brings an input of d.
func derivedLabels(d Derivation, samples []Sample) []string {
	var labels []string
	for _, s := range samples {
		if slices.Contains(d.Inputs, s.Signal) && !slices.Contains(labels, s.Label) {
			labels = append(labels, s.Label)
		}
	}
	return labels
}

// Read calls f with a consistent view. f must not keep it, nor block.
func (w *Window) Read(f func(View)) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	f(View{w, w.primaries()})
}

// primaries finds each cluster's primary; with two that claim it (a failover
// under way) the one that became it last.
func (w *Window) primaries() map[string]*Instance {
	found := map[string]*Instance{}
	for ref, in := range w.instances {
		if other := found[ref.Cluster]; in.Role == RolePrimary && (other == nil || in.RoleSince.After(other.RoleSince)) {
			found[ref.Cluster] = in
		}
	}
	return found
}

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
	s.OK = b.Err == ""
	s.Message = b.Err
	if s.OK {
		s.LastOK = b.At
		s.Notes = b.Notes
	}
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
		if known {
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

// Series is one signal of one instance, for one label, in the Window.
type Series struct {
	Signal   SignalID
	Label    string
	Source   string
	Baseline *Baseline // nil when no signature asks for it

	newest int64 // Unix second, 0 = empty
	ring   [WindowSeconds]float64
}

// accepts decides between two sources of one signal: the more trusted one
// writes, the other only when that has been silent for five seconds.
func (s *Series) accepts(source string, sec int64) bool {
	if s.newest == 0 || s.Source == source || sec-s.newest > 5 {
		return true
	}
	order := s.Signal.Info().Sources
	return slices.Index(order, source) < slices.Index(order, s.Source)
}

func (s *Series) put(sec int64, v float64) {
	switch {
	case s.newest == 0 || sec-s.newest >= WindowSeconds:
		for i := range s.ring {
			s.ring[i] = math.NaN()
		}
		s.newest = sec
	case sec > s.newest:
		for t := s.newest + 1; t < sec; t++ {
			s.ring[t%WindowSeconds] = math.NaN()
		}
		s.newest = sec
	case s.newest-sec >= WindowSeconds:
		return // too late to be seen
	}
	s.ring[sec%WindowSeconds] = v
}

// At returns the value of one second.
func (s *Series) At(sec int64) (float64, bool) {
	if s.newest == 0 || sec > s.newest || s.newest-sec >= WindowSeconds {
		return 0, false
	}
	v := s.ring[sec%WindowSeconds]
	return v, !math.IsNaN(v)
}

// Last returns the newest value.
func (s *Series) Last() (Point, bool) {
	v, ok := s.At(s.newest)
	return Point{time.Unix(s.newest, 0).UTC(), v}, ok
}

// Points returns the values of the seconds from to to, both included; seconds
// without a value are left out.
func (s *Series) Points(from, to time.Time) []Point {
	var out []Point
	for sec := max(from.Unix(), s.newest-WindowSeconds+1); sec <= min(to.Unix(), s.newest); sec++ {
		if v, ok := s.At(sec); ok {
			out = append(out, Point{time.Unix(sec, 0).UTC(), v})
		}
	}
	return out
}
