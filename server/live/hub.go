// Package live fans changes out to the pages that are open.
package live

import "sync"

// Message is one change, already rendered once for every reader.
type Message struct {
	Event string // SSE event name: tick, incident, run
	Data  []byte // JSON
}

// Hub hands each message to every subscriber. A subscriber that does not keep
// up is dropped: its page reconnects and gets a full picture, and nobody waits.
type Hub struct {
	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

// NewHub returns an empty hub.
func NewHub() *Hub { return &Hub{subs: map[*Subscription]struct{}{}} }

// Subscription is one reader of the hub.
type Subscription struct {
	hub *Hub
	ch  chan Message
}

// backlog is how many messages a reader may be behind before it is dropped.
const backlog = 32

// Subscribe takes the snapshot and subscribes under one lock, so that nothing
// falls between the two. snapshot must be quick and must not call the hub.
func (h *Hub) Subscribe(snapshot func()) *Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	if snapshot != nil {
		snapshot()
	}
	s := &Subscription{hub: h, ch: make(chan Message, backlog)}
	h.subs[s] = struct{}{}
	return s
}

// C delivers messages; it is closed when the subscription ends.
func (s *Subscription) C() <-chan Message { return s.ch }

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.drop(s)
}

// Publish hands m to every subscriber and never blocks.
func (h *Hub) Publish(m Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		select {
		case s.ch <- m:
		default:
			h.drop(s)
		}
	}
}

// Readers is how many pages are connected.
func (h *Hub) Readers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs)
}

func (h *Hub) drop(s *Subscription) {
	if _, ok := h.subs[s]; ok {
		delete(h.subs, s)
		close(s.ch)
	}
}
