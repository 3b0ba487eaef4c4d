package postgres

import (
	"fmt"
	"time"
)

// clockTolerance is how far a database's clock may stray between two polls
// before it is worth a line on the timeline.
const clockTolerance = 2 * time.Second

// past is what outlives a connection: who answered last, since when it runs,
// and what its clock said.
type past struct {
	known   bool
	system  string
	started time.Time
	clock   time.Time // the server's
	at      time.Time // ours, with the monotonic clock
}

// compare tells on the timeline what became of the server since the last good
// poll, and remembers this one.
func (p *past) compare(e *emitter, system string) {
	now := e.cur.instance
	if p.known {
		switch {
		case p.system != "" && system != "" && p.system != system:
			e.b.Restart = true
			e.event("restart", fmt.Sprintf("another server answers at this address: its system identifier is %s, it was %s", system, p.system))
		case !now.Started.Equal(p.started):
			e.event("restart", "PostgreSQL was restarted; it runs since "+now.Started.UTC().Format("2006-01-02 15:04:05Z"))
		}
		if shift := clockShift(p.clock, now.Clock, p.at, e.cur.at, e.cur.took); shift != 0 && !e.b.Restart {
			e.event("clock", fmt.Sprintf("database clock moved by %+.0f s; intervals are measured by stallbook's own clock", shift.Seconds()))
		}
	}
	if system == "" {
		system = p.system
	}
	*p = past{true, system, now.Started, now.Clock, e.cur.at}
}

// clockShift returns how much further the server's clock went than ours between
// two polls, or 0 within tolerance. Both of our clocks must agree: the monotonic
// one alone stands still while this host sleeps, the wall clock alone may have
// been set.
func clockShift(dbBefore, dbNow, ourBefore, ourNow time.Time, took time.Duration) time.Duration {
	db := dbNow.Sub(dbBefore)
	mono := db - ourNow.Sub(ourBefore)
	wall := db - ourNow.Round(0).Sub(ourBefore.Round(0))
	limit := clockTolerance + took
	if mono.Abs() <= limit || wall.Abs() <= limit {
		return 0
	}
	return mono
}

// facts of the server itself, told after each connect.
func identityFacts(s *session, started time.Time) map[string]string {
	facts := map[string]string{
		"pg.version":    s.identity.Version,
		"pg.platform":   s.caps.Platform,
		"pg.started_at": started.UTC().Format(time.RFC3339),
	}
	if s.system != "" {
		facts["pg.system_identifier"] = s.system
	}
	return facts
}
