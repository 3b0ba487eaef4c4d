package sqlite

import (
	"sync"

	"stallbook/store"
)

// Bounds of the queue: 60 ticks of a thousand instances with 60 signals each,
// about 130 MB when it is full, which only a disk that hangs or fails does.
const (
	maxQueuedSamples = 60 * 1000 * 60
	maxQueuedBatches = 60 * 1000 * 8
)

// queue is what was appended and not yet taken by the writer.
type queue struct {
	mu      sync.Mutex
	batches []store.Batch
	samples int
	dropped int64 // batches refused since the start
	spare   []store.Batch
}

func (q *queue) init() { q.batches = make([]store.Batch, 0, 256) }

// put adds what fits and counts what does not: sources must never wait for a
// disk, and what came first stays so that a gap has one clear beginning.
func (q *queue) put(batches []store.Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range batches {
		n := len(batches[i].Samples)
		if len(q.batches) >= maxQueuedBatches || q.samples+n > maxQueuedSamples {
			q.dropped += int64(len(batches) - i)
			return
		}
		q.batches = append(q.batches, batches[i])
		q.samples += n
	}
}

// take empties the queue. The caller gives the slice back with reuse.
func (q *queue) take() []store.Batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.batches
	q.batches, q.spare, q.samples = q.spare[:0], nil, 0
	return b
}

func (q *queue) reuse(b []store.Batch) {
	clear(b)
	if cap(b) > 1<<14 {
		return
	}
	q.mu.Lock()
	q.spare = b[:0]
	q.mu.Unlock()
}

func (q *queue) refuse(n int64) {
	q.mu.Lock()
	q.dropped += n
	q.mu.Unlock()
}

func (q *queue) refused() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// Append queues batches for the history. It never blocks: when the writer is so
// far behind that the queue is full, batches are dropped and counted in
// HistoryHealth.Dropped. The batches must not be changed afterwards.
func (db *DB) Append(b ...store.Batch) { db.queue.put(b) }
