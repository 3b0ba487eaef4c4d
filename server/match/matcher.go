// Package match turns judgements into incidents: pending, open, clearing,
// closed. It judges every signature on every instance once a tick; pages,
// incidents and the diagnosis read that one result. It reads the Window only and
// takes the time as an argument, so a replay gives the same incidents as live.
package match

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

// Options wire a Matcher. Keep and Publish may be nil.
type Options struct {
	Window     *store.Window
	Signatures func() []*signature.Signature
	Titles     func(slug string) string
	Overrides  func(cluster string) map[string]map[string]float64 // slug -> clause -> number
	Muted      func(cluster string, at time.Time) (why string, muted bool)
	NextID     func() string
	Keep       func(store.Incident)         // called at each change of an incident
	Publish    func(store.Incident, string) // the incident and what happened: opened, worse, renamed, clearing, open, closed
}

// Matcher is the one place where signatures meet the Window.
type Matcher struct {
	o Options

	mu      sync.Mutex
	at      time.Time
	judged  map[store.Ref][]*judgement
	ongoing []*incident
	late    map[store.Ref]*lateView
}

// judgement is a signature on an instance across ticks.
type judgement struct {
	result signature.Result
	since  time.Time // it matches since; zero when it does not
}

// New returns a Matcher without incidents.
func New(o Options) *Matcher {
	if o.Overrides == nil {
		o.Overrides = func(string) map[string]map[string]float64 { return nil }
	}
	if o.Muted == nil {
		o.Muted = func(string, time.Time) (string, bool) { return "", false }
	}
	if o.Titles == nil {
		o.Titles = func(slug string) string { return slug }
	}
	return &Matcher{o: o, judged: map[store.Ref][]*judgement{}, late: map[store.Ref]*lateView{}}
}

// Restore takes the incidents that were ongoing when the program stopped. They
// are given one release time of data before they can close.
func (m *Matcher) Restore(list []store.Incident, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range list {
		if list[i].Ongoing() {
			m.ongoing = append(m.ongoing, &incident{Incident: *list[i].Clone(), matched: now, score: score(list[i].Evidence)})
		}
	}
}

// Tick judges everything at now, the time of the data; wall is when we learnt it.
func (m *Matcher) Tick(now, wall time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = now
	var active []*judgement
	standing := map[store.Ref]bool{} // instances that still are the ones they were
	leads := map[string]string{}
	sigs := m.o.Signatures()
	m.o.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			standing[ref] = true
			if p := v.Primary(ref.Cluster); p != nil {
				leads[ref.Cluster] = p.Ref.Instance
			}
			active = m.judge(v, sigs, ref, now, active)
		}
		m.forget(v)
	})
	slices.SortStableFunc(active, moreSpecificFirst)
	for _, j := range active {
		m.place(j, now, wall)
		m.markLate(j, j.result.Ref, false)
	}
	m.judgeLate(sigs, wall)
	m.advance(standing, leads, now)
}

// moreSpecificFirst puts the cause before its effect, and more clauses before
// fewer, so that the best name comes first when two match in one tick.
func moreSpecificFirst(a, b *judgement) int {
	x, y := a.result.Signature, b.result.Signature
	if x.Fallback != y.Fallback {
		return cmp.Compare(btoi(x.Fallback), btoi(y.Fallback))
	}
	if slices.Contains(x.Explains, y.Slug) != slices.Contains(y.Explains, x.Slug) {
		return cmp.Compare(btoi(slices.Contains(y.Explains, x.Slug)), btoi(slices.Contains(x.Explains, y.Slug)))
	}
	return cmp.Compare(y.Specific, x.Specific)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judge runs every signature on one instance and appends those that matched for
// their hold time.
func (m *Matcher) judge(v store.View, sigs []*signature.Signature, ref store.Ref, now time.Time, active []*judgement) []*judgement {
	list := m.judged[ref]
	if !sameLibrary(list, sigs) {
		list = newJudgements(len(sigs))
		m.judged[ref] = list
	}
	overrides := m.o.Overrides(ref.Cluster)
	for i, s := range sigs {
		j := list[i]
		s.Judge(v, ref, now, signature.Options{Open: m.openOn(ref, s.Slug), Overrides: overrides[s.Slug]}, &j.result)
		if j.held(now) {
			active = append(active, j)
		}
	}
	return active
}

// held notes whether it matches at now and reports whether it has for its hold
// time.
func (j *judgement) held(now time.Time) bool {
	if j.result.Verdict != store.Matched {
		j.since = time.Time{}
		return false
	}
	if j.since.IsZero() || j.since.After(now) { // after: the clock was set back
		j.since = now
	}
	return now.Sub(j.since) >= j.result.Signature.Hold
}

func newJudgements(n int) []*judgement {
	list := make([]*judgement, n)
	for i := range list {
		list[i] = new(judgement)
	}
	return list
}

// sameLibrary reports whether the judgements are of these signatures: a reload
// brings new ones.
func sameLibrary(list []*judgement, sigs []*signature.Signature) bool {
	if len(list) != len(sigs) {
		return false
	}
	return len(list) == 0 || list[0].result.Signature == nil || list[0].result.Signature == sigs[0]
}

func (m *Matcher) openOn(ref store.Ref, slug string) bool {
	return slices.ContainsFunc(m.ongoing, func(in *incident) bool { return in.Ref() == ref && in.Runbook == slug })
}

// forget drops instances that left the Window.
func (m *Matcher) forget(v store.View) {
	for ref := range m.judged {
		if v.Instance(ref) == nil {
			delete(m.judged, ref)
			delete(m.late, ref)
		}
	}
}

// Diagnoses returns every signature as judged on ref in the latest tick,
// nearest first, and the time of that tick.
func (m *Matcher) Diagnoses(ref store.Ref) (at time.Time, list []store.Diagnosis) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.judged[ref] {
		list = append(list, m.diagnosis(&j.result))
	}
	sortNearest(list)
	return m.at, list
}

func (m *Matcher) diagnosis(r *signature.Result) store.Diagnosis {
	d := r.Diagnosis()
	d.Title = m.o.Titles(d.Runbook)
	return d
}

func sortNearest(list []store.Diagnosis) {
	rank := map[store.MatchVerdict]int{store.Matched: 0, store.Possible: 1, store.NoMatch: 1}
	slices.SortStableFunc(list, func(a, b store.Diagnosis) int {
		return cmp.Or(cmp.Compare(rank[a.Verdict], rank[b.Verdict]), cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Needed, a.Needed))
	})
}

// Ongoing returns the incidents that are open or clearing, the worst first.
func (m *Matcher) Ongoing() []store.Incident {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]store.Incident, 0, len(m.ongoing))
	for _, in := range m.ongoing {
		out = append(out, *in.Clone())
	}
	slices.SortStableFunc(out, func(a, b store.Incident) int {
		return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), a.OpenedAt.Compare(b.OpenedAt))
	})
	return out
}

// Each calls f with every judgement of the latest tick; held tells whether it
// matched for its hold time.
func (m *Matcher) Each(f func(ref store.Ref, slug string, verdict store.MatchVerdict, held bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ref, list := range m.judged {
		for _, j := range list {
			s := j.result.Signature
			f(ref, s.Slug, j.result.Verdict, !j.since.IsZero() && m.at.Sub(j.since) >= s.Hold)
		}
	}
}
