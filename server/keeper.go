package server

import (
	"context"
	"log/slog"
	"sync"

	"stallbook/store"
)

// keeper writes incidents beside the matcher: a disk that takes seconds for a
// commit must not delay the next tick. Only the newest state of each is written.
type keeper struct {
	save func(store.Incident) error
	log  *slog.Logger

	mu      sync.Mutex
	pending map[string]store.Incident
	order   []string
	wake    chan struct{}
}

func newKeeper(save func(store.Incident) error, log *slog.Logger) *keeper {
	return &keeper{save: save, log: log, pending: map[string]store.Incident{}, wake: make(chan struct{}, 1)}
}

// put never waits.
func (k *keeper) put(in store.Incident) {
	k.mu.Lock()
	if _, waits := k.pending[in.ID]; !waits {
		k.order = append(k.order, in.ID)
	}
	k.pending[in.ID] = in
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run writes until ctx ends, and then what is left.
func (k *keeper) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			k.flush()
			return nil
		case <-k.wake:
			k.flush()
		}
	}
}

func (k *keeper) flush() {
	for {
		in, ok := k.next()
		if !ok {
			return
		}
		if err := k.save(in); err != nil {
			k.log.Error("incident not on disk yet", "incident", in.ID, "error", err)
		}
	}
}

func (k *keeper) next() (store.Incident, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.order) == 0 {
		return store.Incident{}, false
	}
	id := k.order[0]
	k.order = k.order[1:]
	in := k.pending[id]
	delete(k.pending, id)
	return in, true
}
