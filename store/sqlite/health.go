package sqlite

import (
	"fmt"
	"os"
	"sync"
	"time"

	"stallbook/store"
)

// A failed commit is tried again after one second, then less and less often.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// hangAfter is how long a commit may take before the disk counts as hanging.
	hangAfter = 10 * time.Second
)

// health is the state of the history as the pages see it.
type health struct {
	mu      sync.Mutex
	ok      bool
	since   time.Time
	message string
	bytes   int64
	busy    time.Time // begin of the commit under way, zero when none is
	retryAt time.Time
	wait    time.Duration
}

func (h *health) init(now time.Time) { h.ok, h.since = true, now }

func (h *health) begin(now time.Time) {
	h.mu.Lock()
	h.busy = now
	h.mu.Unlock()
}

// end records the outcome of a commit and reports whether the state changed.
func (h *health) end(now time.Time, message string) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = time.Time{}
	ok := message == ""
	if changed = ok != h.ok; changed {
		h.ok, h.since = ok, now
	}
	h.message = message
	if ok {
		h.wait, h.retryAt = 0, time.Time{}
		return changed
	}
	h.wait = min(max(firstRetry, 2*h.wait), lastRetry)
	h.retryAt = now.Add(h.wait)
	return changed
}

func (h *health) good() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ok
}

// mayTry reports whether the pause after a failure is over.
func (h *health) mayTry(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !now.Before(h.retryAt)
}

// measure takes the size of the file and its WAL.
func (db *DB) measure() int64 {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(db.path + suffix); err == nil {
			n += info.Size()
		}
	}
	db.state.mu.Lock()
	db.state.bytes = n
	db.state.mu.Unlock()
	return n
}

// Health says whether the history is being kept, and if not since when, why and
// what mends it.
func (db *DB) Health() store.HistoryHealth {
	dropped := db.queue.refused()
	h := &db.state
	h.mu.Lock()
	defer h.mu.Unlock()
	out := store.HistoryHealth{OK: h.ok, Since: h.since, Message: h.message, Bytes: h.bytes, Dropped: dropped}
	if h.ok && !h.busy.IsZero() && db.clock().Sub(h.busy) > hangAfter {
		out.OK, out.Since = false, h.busy
		out.Message = fmt.Sprintf("the disk that holds %s has not answered since %s: see the load and the kernel log of this machine; recording resumes by itself",
			db.path, h.busy.UTC().Format(time.TimeOnly))
	}
	return out
}
