package latency

import (
	"slices"
	"time"
)

// slots turns the commits of the probe into latencies. The probe makes one
// commit at a time, so while one hangs the next ones are not even begun; they
// count as if they had been, each from the moment it was due. Otherwise a stall
// of ten seconds would be one slow commit among fifty quick ones.
type slots struct {
	every time.Duration
	begun time.Time // of the commit under way; zero when none is
	done  []commit
}

// commit is one that returned.
type commit struct{ begun, done time.Time }

// begin starts a commit. One that is under way already goes on: it was cut off
// and is tried again, which ends no wait.
func (s *slots) begin(now time.Time) {
	if s.begun.IsZero() {
		s.begun = now
	}
}

func (s *slots) end(now time.Time) {
	s.done = append(s.done, commit{s.begun, now})
	s.begun = time.Time{}
}

// cancel forgets the commit under way: it failed, which is no latency.
func (s *slots) cancel() { s.begun = time.Time{} }

// over lists the latencies seen in the last second before now, ascending, and
// forgets older commits. A commit under way counts with its age so far as soon
// as that is longer than any that returned.
func (s *slots) over(now time.Time) []time.Duration {
	from := now.Add(-time.Second)
	s.done = slices.DeleteFunc(s.done, func(c commit) bool { return !c.done.After(from) })
	var out []time.Duration
	for _, c := range s.done {
		out = s.waits(out, c.begun, c.done)
	}
	if !s.begun.IsZero() && (len(out) == 0 && now.Sub(s.begun) >= s.every || len(out) > 0 && now.Sub(s.begun) > slices.Max(out)) {
		out = s.waits(out, s.begun, now)
	}
	slices.Sort(out)
	return out
}

// mostWaits bounds what a hang of hours adds: from there on the commits that were
// due behind it are counted in larger steps, which leaves their quantiles alone.
const mostWaits = 1000

// waits appends the wait of a commit and of those that were due behind it: each
// has waited since it was due, however long ago that was, and ends with it.
func (s *slots) waits(out []time.Duration, begun, done time.Time) []time.Duration {
	step := max(s.every, done.Sub(begun)/mostWaits)
	for due := begun; due.Before(done) || due.Equal(begun); due = due.Add(step) {
		out = append(out, done.Sub(due))
	}
	return out
}

// rank is the value below which the share q of sorted lies, by nearest rank.
func rank(sorted []time.Duration, q float64) time.Duration {
	i := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}
