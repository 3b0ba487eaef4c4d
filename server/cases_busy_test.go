package server

import (
	"time"

	"stallbook/store"
)

var noRequests = vals{"latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": unread}

// busyCases are healthy systems at work: an alarm there is one too many.
func busyCases() []fieldCase {
	table := with(onPrimary(), vals{"pg.table.kib{public.big}": 200 << 20})
	pass := vals{"pg.vacuum.running{public.big}": 1}
	dump := vals{"disk.read_iops": 900, "disk.read_kib_s": 126000, "disk.util_pct": 98, "disk.queue": 6}
	atLimit := vals{"disk.read_iops": 2700, "disk.read_kib_s": 60000, "disk.util_pct": 100, "disk.queue": 8}
	return append(changeCases(), []fieldCase{
		{name: "a nightly batch", reported: "I/O doubles for minutes, requests are as fast as ever", play: one(onPrimary(), 200, vals{"disk.read_iops": 160, "disk.write_iops": 440, "disk.write_kib_s": 9000, "pg.wal_kib_s": 9000, "pg.wait.wal": 2})},
		{name: "a nightly batch during a pass", reported: "the same, at the limit of the volume, while a table is vacuumed", play: one(table, 200, with(with(atLimit, pass), vals{"latency.p50_ms": 8}))},
		{name: "a checkpoint at the limit", reported: "writes reach the limit, the median does not move", play: one(onPrimary(), 40, vals{"disk.write_iops": 2850, "disk.write_kib_s": 24000, "disk.util_pct": 100, "latency.p99_ms": 40, "pg.wait.wal": 3})},
		{name: "pg_dump", reported: "one session reads at the throughput of the volume", play: one(onPrimary(), 200, with(dump, vals{"pg.wait.data_read": 1, "pg.active": 4}))},
		{name: "pg_dump, requests not measured", reported: "the same where nobody measures requests", play: one(with(onPrimary(), noRequests), 200, with(dump, vals{"pg.wait.data_read": 1}))},
		{name: "pg_dump of four jobs", reported: "four sessions read at the I/Os of the volume, requests are fine", play: one(onPrimary(), 200, with(atLimit, vals{"pg.wait.data_read": 4}))},
		{name: "pg_dump of four jobs, requests not measured", reported: "the same where nobody measures requests: as many transactions as ever finish", play: one(with(onPrimary(), noRequests), 200, with(atLimit, vals{"pg.wait.data_read": 4}))},
		{name: "commits that always wait a little", reported: "in a busy synchronous cluster some commit waits in SyncRep at any moment",
			play: pair(with(inSync(), vals{"pg.wait.sync_rep": 4, "pg.tps": 3000}), onStandby(), "try", 120, vals{"pg.wait.sync_rep": 9, "pg.tps": 4200, "latency.p50_ms": 7}, nil)},
		{name: "a big table is vacuumed", reported: "a pass with its own reads and writes that nobody notices", play: one(table, 200, with(pass, vals{"disk.read_iops": 800, "disk.read_kib_s": 9000, "disk.write_iops": 500, "latency.p50_ms": 6}))},
		{name: "one bad second", reported: "the median of one second is 900 ms", play: one(onPrimary(), 1, vals{"latency.p50_ms": 900, "latency.p99_ms": 1200})},
		{name: "one bad second during a pass", reported: "the same while a table is vacuumed and the disk has room", play: one(with(table, pass), 1, vals{"latency.p50_ms": 900, "latency.p99_ms": 1200})},
		{name: "hardly any requests", reported: "a report now and then, some of them slow: a median of one is no median", play: one(with(onPrimary(), vals{"latency.rate": 0.5, "pg.tps": 1}), 30, vals{"latency.p50_ms": 1900})},
		{name: "a standby that catches up", reported: "after its restart a standby prefetches and replays what it missed, on a disk with room",
			play: pair(onPrimary(), onStandby(), "try", 60, nil, vals{"pg.replay_lag_s": 50, "pg.prefetch_s": 1400, "disk.read_iops": 1400, "disk.read_kib_s": 11200, "disk.util_pct": 70})},
		{name: "a standby reconnects", reported: "for a second no standby streams", play: pair(inSync(), onStandby(), "try", 1, vals{"pg.sync.streaming": 0, "pg.wait.sync_rep": 6}, vals{"pg.walreceiver_up": 0})},
	}...)
}

// changeCases are planned changes of who is who.
func changeCases() []fieldCase {
	return []fieldCase{
		{name: "a switchover", reported: "the two swap roles, three seconds nobody answers, the new primary is cold for a while", play: switchover},
		{name: "a restart with a cold cache", reported: "everything is read anew at the limit of the volume, requests are slow for a minute: what is usual is not known yet",
			play: func(t *tape) {
				r := t.add("db-1", store.RolePrimary, onPrimary())
				t.calm(150)
				t.silence(4)
				r.event = func(b *store.Batch) { b.Restart = true }
				t.event(90, map[string]vals{"db-1": {"latency.p50_ms": 80, "latency.p99_ms": 400, "disk.read_iops": 2750, "disk.read_kib_s": 22000, "disk.read_await_ms": 3, "pg.wait.data_read": 7, "pg.tps": 120}})
				t.calm(150)
			}},
	}
}

// switchover: names of synchronous standbys are set once the old primary follows.
func switchover(t *tape) {
	a := t.add("db-1", store.RolePrimary, inSync())
	b := t.add("db-2", store.RoleStandby, onStandby())
	t.calm(150)
	t.silence(3)
	t.event(0, nil)
	a.role, b.role = store.RoleStandby, store.RolePrimary
	a.usual, b.usual = onStandby(), with(onPrimary(), vals{"latency.p50_ms": 30, "disk.read_iops": 1200, "disk.read_kib_s": 9600, "pg.wait.data_read": 3})
	t.event(8, map[string]vals{"db-1": {"pg.walreceiver_up": 0, "pg.replay_lag_s": 0}})
	b.usual = inSync()
	t.event(60, map[string]vals{"db-2": {"latency.p50_ms": 12}})
	t.calm(150)
}

// oddCases are readings that are wrong, missing or out of time.
func oddCases() []fieldCase {
	return []fieldCase{
		{name: "43 counters are reset", reported: "statistics were reset between two readings and the counters passed their old values: those seconds have no rates", play: counterReset},
		{name: "43 another server's counters", reported: "a failover behind one address: the server starts anew, and what was usual with it",
			play: func(t *tape) {
				r := t.add("db-1", store.RolePrimary, onPrimary())
				t.calm(150)
				r.event = func(b *store.Batch) { b.Restart = true }
				t.event(60, map[string]vals{"db-1": {"latency.p50_ms": 60, "disk.read_iops": 900, "disk.read_kib_s": 7200, "pg.tps": 900}})
				t.calm(150)
			}},
		{name: "43 a lag below zero", reported: "after a rebuild the standby's position lies before that of the stale series",
			play: pair(onPrimary(), onStandby(), "try", 10, nil, vals{"pg.replay_lag_kib": -4096, "pg.replay_lag_s": -3, "pg.replay_kib_s": unread, "pg.receive_kib_s": unread})},
		{name: "54 the clock goes back two hours", reported: "the leader's clock was set from 12:00 to 10:00 while all was well", play: clockBackTwoHours, problems: 4},
		{name: "54 nothing for 61 s", reported: "no readings for a minute and right clocks", play: func(t *tape) {
			t.add("db-1", store.RolePrimary, inSync())
			t.add("db-2", store.RoleStandby, onStandby())
			t.calm(150)
			t.event(0, nil)
			t.silence(61)
			t.event(30, nil)
			t.calm(60)
		}},
		{name: "54 the disk's readings run 90 s ahead", reported: "Enhanced Monitoring stamps its documents 90 s ahead of the collector: of a pass that stalls, only the effect is seen", play: skewed, opens: unexplained},
		{name: "54 a lag of two clocks", reported: "0 bytes to replay, 5.02 s by the difference of two clocks", play: pair(onPrimary(), onStandby(), "try", 60, nil, vals{"pg.replay_lag_s": 5.0198, "pg.replay_lag_kib": 0})},
	}
}

func counterReset(t *tape) {
	t.add("db-1", store.RolePrimary, inSync())
	s := t.add("db-2", store.RoleStandby, onStandby())
	t.calm(150)
	none := vals{"pg.tps": unread, "pg.wal_kib_s": unread, "pg.prefetch_s": unread, "pg.prefetch_hit_s": unread, "pg.prefetch_skip_fpw_s": unread, "pg.checkpoint.sync_ms": unread, "pg.checkpoint.done": unread}
	s.event = func(b *store.Batch) {
		b.Events = append(b.Events, store.Event{At: b.At, Ref: b.Ref, Kind: "reset", Text: "statistics of recovery prefetch were reset"})
	}
	t.event(2, map[string]vals{"db-1": none, "db-2": none})
	t.calm(150)
}

func clockBackTwoHours(t *tape) {
	t.add("db-1", store.RolePrimary, with(inSync(), vals{"pg.table.kib{public.big}": 200 << 20, "pg.vacuum.running{public.big}": 1}))
	t.calm(150)
	t.event(0, nil)
	t.at = t.at.Add(-2 * time.Hour)
	t.eventFrom = t.at
	t.event(90, nil)
	t.calm(60)
}

// skewed: a pass and slow requests now, the burst on the disk 90 s later by the
// clock of those who read it.
func skewed(t *tape) {
	t.add("db-1", store.RolePrimary, with(onPrimary(), vals{"pg.table.kib{public.big}": 200 << 20}))
	t.calm(150)
	t.event(13, map[string]vals{"db-1": {"pg.vacuum.running{public.big}": 1, "latency.p50_ms": 80}})
	t.event(77, nil)
	t.event(13, map[string]vals{"db-1": {"disk.read_iops": 2400, "disk.read_kib_s": 19200, "disk.write_iops": 590}})
	t.calm(150)
}
