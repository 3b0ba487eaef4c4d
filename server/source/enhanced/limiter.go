package enhanced

import (
	"sync"
	"time"
)

// DefaultRate is requests a second to one account and region. AWS's own bound
// was 10 and is shared with everybody else who reads logs there.
const DefaultRate = 3

const (
	recoverAfter = 10 * time.Second // of a throttle's last sign, the rate rises again
	slowest      = 1.0 / 16         // of the rate asked for
)

// Limiter gives turns for requests to one account and region. It may be used by
// many goroutines.
type Limiter struct {
	mu      sync.Mutex
	rate    float64   // what was asked for
	current float64   // what AWS lets through
	next    time.Time // first turn that is free
	cut     time.Time // when current last changed
}

// NewLimiter gives so many turns a second; 0 or less is DefaultRate.
func NewLimiter(perSecond float64) *Limiter {
	if !(perSecond > 0) {
		perSecond = DefaultRate
	}
	return &Limiter{rate: perSecond, current: perSecond}
}

// Reserve takes the next free turn and returns when it is. Turns are given in
// the order of asking, so that nobody waits longer than the others.
func (l *Limiter) Reserve(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.current < l.rate && now.Sub(l.cut) >= recoverAfter {
		l.current = min(l.rate, l.current*1.5)
		l.cut = l.cut.Add(recoverAfter)
	}
	if l.next.Before(now) {
		l.next = now
	}
	turn := l.next
	l.next = turn.Add(time.Duration(float64(time.Second) / l.current))
	return turn
}

// Slow halves the rate: AWS throttled a request. Several throttles of one second
// are one sign.
func (l *Limiter) Slow(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.cut) < time.Second {
		return
	}
	l.current, l.cut = max(l.rate*slowest, l.current/2), now
}

// Rate returns turns a second: as asked for, and what AWS lets through now.
func (l *Limiter) Rate() (asked, current float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rate, l.current
}
