package postgres

import (
	"fmt"
	"time"

	"stallbook/store"
)

// emitter turns a reading and the one before it into samples and events.
type emitter struct {
	b    *store.Batch
	prev *reading // nil: no rates
	cur  *reading

	major int
}

func (e *emitter) gauge(id store.SignalID, n int64) {
	e.b.Samples = append(e.b.Samples, store.Sample{Signal: id, N: n})
}

func (e *emitter) event(kind, text string) {
	e.b.Events = append(e.b.Events, store.Event{At: e.b.At, Ref: e.b.Ref, Kind: kind, Text: text})
}

// counter is one value of a family of counters, before and now.
type counter struct {
	id        store.SignalID
	prev, cur *int64
}

// family emits the deltas of counters that are reset together. An interval with
// a reset in it is dropped whole: a busy server can pass the old value again, so
// that a positive delta proves nothing.
func (e *emitter) family(name string, prevReset, curReset *time.Time, counters ...counter) {
	if resetMoved(prevReset, curReset) {
		e.event("reset", fmt.Sprintf("statistics of %s were reset at %s; the interval is left out", name, curReset.UTC().Format("15:04:05")))
		return
	}
	for _, c := range counters {
		if c.prev != nil && c.cur != nil && *c.cur < *c.prev {
			e.event("reset", fmt.Sprintf("counters of %s fell: they were reset or lost; the interval is left out", name))
			return
		}
	}
	for _, c := range counters {
		if c.prev != nil && c.cur != nil {
			e.gauge(c.id, *c.cur-*c.prev)
		}
	}
}

func resetMoved(prev, cur *time.Time) bool {
	return cur != nil && (prev == nil || !cur.Equal(*prev))
}

// position emits how far a WAL position went. It may step back (a new timeline,
// a receiver that starts its segment anew): that interval has no rate.
func (e *emitter) position(id store.SignalID, prev, cur *int64) {
	if prev != nil && cur != nil && *cur >= *prev {
		e.gauge(id, *cur-*prev)
	}
}

func (e *emitter) gauges() {
	if a := e.cur.activity; a != nil {
		e.gauge(sigActive, a.Active)
		e.gauge(sigOldest, int64(max(0, a.OldestS)*1000))
		e.gauge(sigWaitWAL, a.WAL)
		e.gauge(sigWaitSync, a.SyncRep)
		e.gauge(sigWaitRead, a.DataRead)
		e.gauge(sigWaitInit, a.WALInit)
		e.gauge(sigWaitLock, a.Lock)
		if e.cur.instance.InRecovery {
			e.gauge(sigWaitStartup, a.StartupRead)
		}
	}
	if e.cur.senders != nil && !e.cur.instance.InRecovery {
		e.gauge(sigStreaming, e.cur.senders.Streaming)
	}
	if !e.cur.instance.InRecovery {
		e.gauge(sigRequired, requiredStandbys(e.cur.instance.SyncNames))
	}
	if e.cur.standby != nil && e.cur.instance.InRecovery {
		e.replayLag(e.cur.standby)
	}
}

// replayLag: the time stands still on an idle primary, so that it counts only
// while received WAL is left to replay.
func (e *emitter) replayLag(s *standbyRow) {
	e.gauge(sigReceiverUp, min(1, s.Receivers))
	if s.Received == nil || s.Replayed == nil {
		return
	}
	behind := max(0, *s.Received-*s.Replayed)
	e.gauge(sigLagKiB, behind)
	switch {
	case behind == 0:
		e.gauge(sigLagS, 0)
	case s.ReplayedAt != nil:
		e.gauge(sigLagS, max(0, e.cur.instance.Clock.Sub(*s.ReplayedAt).Milliseconds()))
	}
}

func (e *emitter) rates() {
	p, c := e.prev, e.cur
	e.position(sigWAL, p.instance.Written, c.instance.Written)
	// Up to 14 a database gets its date of reset when it is first used: that is no
	// reset, but its counters join the sum, so that this interval has no rate.
	if p.database != nil && c.database != nil && (e.major >= 15 || p.database.Stamped == c.database.Stamped) {
		e.family("databases", p.database.Reset, c.database.Reset, counter{sigTPS, p.database.Transactions, c.database.Transactions})
	}
	if p.wal != nil && c.wal != nil {
		e.family("WAL", p.wal.Reset, c.wal.Reset, counter{sigFPI, p.wal.FPI, c.wal.FPI}, counter{sigBuffersFull, p.wal.BuffersFull, c.wal.BuffersFull})
	}
	if p.segments != nil && c.segments != nil {
		e.family("I/O", p.segments.Reset, c.segments.Reset, counter{sigSegments, p.segments.Created, c.segments.Created})
	}
	if p.standby != nil && c.standby != nil {
		e.position(sigReplay, p.standby.Replayed, c.standby.Replayed)
		e.position(sigReceive, p.standby.Received, c.standby.Received)
	}
	if p.prefetch != nil && c.prefetch != nil {
		e.family("recovery prefetch", p.prefetch.Reset, c.prefetch.Reset, counter{sigPrefetch, p.prefetch.Prefetch, c.prefetch.Prefetch},
			counter{sigPrefetchSkip, p.prefetch.SkipFPW, c.prefetch.SkipFPW}, counter{sigPrefetchHit, p.prefetch.Hit, c.prefetch.Hit})
	}
	if p.checkpoint != nil && c.checkpoint != nil {
		e.checkpoints(p.checkpoint, c.checkpoint)
	}
}

// checkpoints: before 18 nothing counts the end of a checkpoint, but its times
// are added there.
func (e *emitter) checkpoints(p, c *checkpointRow) {
	prevDone, curDone := p.Done, c.Done
	if prevDone == nil || curDone == nil {
		ended := int64(0)
		if moved(p.SyncMs, c.SyncMs) || moved(p.WriteMs, c.WriteMs) {
			ended = 1
		}
		prevDone, curDone = new(int64), &ended
	}
	e.family("checkpoints", p.Reset, c.Reset, counter{sigCheckSync, p.SyncMs, c.SyncMs}, counter{sigCheckDone, prevDone, curDone})
}

func moved(p, c *int64) bool { return p != nil && c != nil && *c > *p }
