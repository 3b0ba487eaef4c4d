package poll

import (
	"math/rand/v2"
	"time"
)

const (
	quickRetries = 3 // a restart takes some seconds; the first tries come at once
	quickDelay   = time.Second
	maxDelay     = 30 * time.Second
)

// backoff is when a source that can't be reached is tried again.
type backoff struct {
	at    time.Time // not before
	tries int
}

// failed counts a failure at now: a second each for the first tries, then twice
// as long each time up to maxDelay, less up to a fifth at random, so that
// instances that vanished together do not return together.
func (b *backoff) failed(now time.Time) {
	b.tries++
	delay := quickDelay
	for n := quickRetries; n < b.tries && delay < maxDelay; n++ {
		delay *= 2
	}
	delay = min(delay, maxDelay)
	if b.tries > quickRetries {
		delay -= time.Duration(rand.Int64N(int64(delay) / 5))
	}
	b.at = now.Add(delay)
}
