package enhanced

import (
	"context"
	"testing"
	"time"
)

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

func TestTurns(t *testing.T) {
	l := NewLimiter(4)
	for i := range 8 {
		if at := l.Reserve(noon); at.Sub(noon) != time.Duration(i)*250*time.Millisecond {
			t.Errorf("turn %d is %v after noon", i, at.Sub(noon))
		}
	}
	if at := l.Reserve(noon.Add(time.Minute)); !at.Equal(noon.Add(time.Minute)) {
		t.Errorf("after a pause the turn is %v", at)
	}
	if asked, _ := NewLimiter(0).Rate(); asked != DefaultRate {
		t.Errorf("default rate %v", asked)
	}
}

func TestThrottlesSlowAndRecover(t *testing.T) {
	l := NewLimiter(4)
	at := noon
	for range 10 {
		l.Slow(at) // of one second
	}
	if _, now := l.Rate(); now != 2 {
		t.Errorf("%v a second after ten throttles of one second", now)
	}
	for range 10 {
		at = at.Add(time.Second)
		l.Slow(at)
	}
	if _, now := l.Rate(); now != 0.25 {
		t.Errorf("%v a second, want a sixteenth of 4", now)
	}
	at = at.Add(2 * time.Minute)
	l.Reserve(at)
	if _, now := l.Rate(); now != 4 {
		t.Errorf("%v a second after two quiet minutes", now)
	}
}
