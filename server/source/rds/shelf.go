package rds

import (
	"sync"
	"time"
)

// shelf keeps the account's last answers. An error is an answer too: while it is
// fresh nobody asks again.
type shelf struct {
	mu         sync.Mutex
	snapshot   *Snapshot
	err        error
	askedAt    time.Time
	events     eventBook
	parameters map[string]keptParameters
}

// instances returns the kept answer if it belongs to the interval of now: the
// Sources of an account tick together, so half an interval parts two rounds.
func (s *shelf) instances(now time.Time) (*Snapshot, error, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.askedAt.IsZero() || now.Sub(s.askedAt).Abs() >= Every/2 {
		return nil, nil, false
	}
	return s.snapshot, s.err, true
}

func (s *shelf) keepInstances(now time.Time, snap *Snapshot, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshot, s.err, s.askedAt = snap, err, now
}

func (s *shelf) recent(now time.Time) (*Snapshot, error, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.askedAt.IsZero() || now.Sub(s.askedAt).Abs() >= Every*3/2 {
		return nil, nil, false
	}
	return s.snapshot, s.err, true
}
