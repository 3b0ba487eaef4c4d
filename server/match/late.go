package match

import (
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

// lateView is an instance judged at seconds whose readings came late, as those
// of Enhanced Monitoring do: each signature with its own hold time, in the order
// of the data.
type lateView struct {
	judged []*judgement
	at     time.Time // newest late second that was judged
}

// judgeLate judges the seconds that were incomplete when their tick came. What
// matches opens an incident at the time of the data, learnt at wall.
func (m *Matcher) judgeLate(sigs []*signature.Signature, wall time.Time) {
	for ref, seconds := range m.o.Window.TakeLate() {
		v := m.lateView(ref, sigs)
		for _, sec := range seconds {
			at := time.Unix(sec, 0).UTC()
			for _, j := range m.judgeAt(v, sigs, ref, at) {
				m.place(j, at, wall)
				m.markLate(j, ref, true)
			}
			if at.After(v.at) {
				v.at = at
			}
		}
	}
}

func (m *Matcher) lateView(ref store.Ref, sigs []*signature.Signature) *lateView {
	v := m.late[ref]
	if v == nil || !sameLibrary(v.judged, sigs) {
		v = &lateView{judged: newJudgements(len(sigs))}
		m.late[ref] = v
	}
	return v
}

// judgeAt returns the signatures that matched for their hold time at a past second.
func (m *Matcher) judgeAt(v *lateView, sigs []*signature.Signature, ref store.Ref, at time.Time) (active []*judgement) {
	overrides := m.o.Overrides(ref.Cluster)
	m.o.Window.Read(func(view store.View) {
		for i, s := range sigs {
			j := v.judged[i]
			s.Judge(view, ref, at, signature.Options{Open: m.openOn(ref, s.Slug), Overrides: overrides[s.Slug]}, &j.result)
			if j.held(at) {
				active = append(active, j)
			}
		}
	})
	return active
}

// markLate notes by which clock an incident was seen last. One that is seen now
// ends by ours: a single late reading must not bind it to a clock that stands.
func (m *Matcher) markLate(j *judgement, ref store.Ref, late bool) {
	if in := m.find(func(in *incident) bool { return in.Runbook == j.result.Signature.Slug && in.Ref() == ref }); in != nil {
		in.late = late
	}
}

// clock is the time by which an incident is over: that of its data.
func (m *Matcher) clock(in *incident, now time.Time) time.Time {
	if v := m.late[in.Ref()]; in.late && v != nil && now.Sub(v.at) < blindFor {
		return v.at
	}
	return now
}
