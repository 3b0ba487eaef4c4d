package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"stallbook/store"
)

// saveDeadline is how long a save waits for its commit. After that it is kept in
// memory and written when the disk answers.
const saveDeadline = 2 * time.Second

// save is an incident, a run or an event on its way into the file. It has a path
// of its own: a queue full of samples must not hold up an incident.
type save struct {
	key   string
	value any
	apply func(ctx context.Context, tx *sql.Tx) error
	done  chan error
}

// saves holds what was not yet committed, oldest first; reads lay it over what
// the file says.
type saves struct {
	mu       sync.Mutex
	waiting  []*save
	inFlight []*save
	wake     chan struct{}
}

func (s *saves) init() { s.wake = make(chan struct{}, 1) }

func (s *saves) add(n *save) {
	s.mu.Lock()
	s.replace(n)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// replace appends n in place of an older save of the same object, which would be
// overwritten at once.
func (s *saves) replace(n *save) {
	for i, old := range s.waiting {
		if old.key == n.key {
			close(old.done)
			s.waiting[i] = n
			return
		}
	}
	s.waiting = append(s.waiting, n)
}

func (s *saves) take() []*save {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight, s.waiting = s.waiting, nil
	return s.inFlight
}

// settle ends an attempt. What the disk refused goes back to the front of the
// queue; newer saves of the same objects then take their place.
func (s *saves) settle(err error, keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.inFlight {
		select {
		case f.done <- err:
		default:
		}
	}
	if keep {
		newer := s.waiting
		s.waiting = s.inFlight
		for _, n := range newer {
			s.replace(n)
		}
	}
	s.inFlight = nil
}

// each calls f for the values on their way, older ones first.
func (s *saves) each(f func(value any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range [][]*save{s.inFlight, s.waiting} {
		for _, n := range list {
			f(n.value)
		}
	}
}

// save hands a value to the writer and waits for its commit, but no longer than
// saveDeadline, and not at all while the disk is known to fail.
func (db *DB) save(key string, value any, apply func(context.Context, *sql.Tx) error) error {
	n := &save{key: key, value: value, apply: apply, done: make(chan error, 1)}
	failing := !db.state.good()
	db.saves.add(n)
	kept := &store.Problem{Code: "unavailable", Message: "kept in memory for now: " + db.path + " can't be written; it is saved as soon as that works again"}
	if failing {
		return kept
	}
	timer := time.NewTimer(saveDeadline)
	defer timer.Stop()
	select {
	case err := <-n.done:
		if err != nil && isDiskTrouble(err) {
			kept.Cause = err
			return kept
		}
		return err
	case <-db.done:
		return &store.Problem{Code: "unavailable", Message: "the history is closed"}
	case <-timer.C:
		return kept
	}
}
