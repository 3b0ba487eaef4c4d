package store

import (
	"slices"
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

// SetBaselines says of which signals baselines are kept from now on: a reload may
// bring signatures that ask for others.
func (w *Window) SetBaselines(ids []SignalID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.baselined)
	for _, id := range ids {
		w.baselined[id] = true
	}
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

// RemoveSource forgets how one source of an instance fares: it is not configured
// any more. What it read stays.
func (w *Window) RemoveSource(ref Ref, source string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if in := w.instances[ref]; in != nil {
		in.sources = slices.DeleteFunc(in.sources, func(s *SourceStatus) bool { return s.Source == source })
	}
}

// Push takes one batch and returns what it changed on the instance: its role,
// its settings.
func (w *Window) Push(b Batch) []Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := w.instance(b.Ref)
	changes := in.clockBack(b)
	in.source(b.Source).saw(b)
	changes = append(changes, in.learn(b)...)
	sec := b.At.Unix()
	in.noteLate(sec, len(b.Samples))
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

// TakeLate returns, for each instance, the seconds that got readings after later
// ones were there, ascending, and forgets them: they were judged without.
func (w *Window) TakeLate() map[Ref][]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out map[Ref][]int64
	for ref, in := range w.instances {
		if len(in.late) == 0 {
			continue
		}
		if out == nil {
			out = map[Ref][]int64{}
		}
		slices.Sort(in.late)
		out[ref], in.late = slices.Compact(in.late), nil
	}
	return out
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
