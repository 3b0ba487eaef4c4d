package server

import "stallbook/store"

// volumeCases are about the volume itself: loading from a snapshot, out of
// credit, in a checkpoint, making WAL segments.
func volumeCases() []fieldCase {
	return append(append(hydrationCases(), creditCases()...), writeCases()...)
}

// slowly plays a single instance of which there is a reading every so many
// seconds, and long enough before the event for what is usual to be known.
func slowly(every int, usual vals, seconds int, changed vals) func(*tape) {
	return func(t *tape) {
		t.every = every
		t.add("db-1", store.RolePrimary, usual)
		t.calm(max(180, 15*every))
		t.event(seconds, map[string]vals{"db-1": changed})
		t.calm(max(180, 4*every))
	}
}

func hydrationCases() []fieldCase {
	loading := vals{"rds.storage_initializing": 1, "rds.storage_progress_pct": 11, "disk.read_await_ms": 41, "disk.read_iops": 240, "disk.read_kib_s": 1920, "disk.queue": 10, "pg.wait.data_read": 9}
	restored := with(onPrimary(), vals{"disk.iops_limit": 12000})
	stalls := []string{"storage-hydration db-1 stall"}
	return []fieldCase{
		{name: "11 the first run after a restore", reported: "a log of one second takes 5 min to replay, 1 s the second time; reads of 41 ms at 240 of 12,000 a second",
			play: one(restored, 90, with(loading, vals{"latency.p50_ms": 300, "latency.rate": 20})), opens: stalls},
		{name: "11 read by the minute", reported: "the same as CloudWatch tells it, one reading a minute and no requests measured",
			play: slowly(60, with(restored, vals{"latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": unread}), 300, loading), opens: stalls},
		{name: "11 the second run", reported: "still loading, but what is read was read before: 1 ms",
			play: one(restored, 90, with(loading, vals{"disk.read_await_ms": 1, "disk.queue": 1})), opens: []string{"storage-hydration db-1 degraded"}},
		{name: "14 a new volume of a virtual machine", reported: "17.5 s become 11 min, single reads take over 60 s; no API tells that the volume loads, and nothing is usual yet",
			play: func(t *tape) {
				t.add("db-1", store.RolePrimary, with(onPrimary(), vals{"rds.storage_initializing": unread, "disk.iops_limit": 3000}))
				t.event(50, map[string]vals{"db-1": {"latency.p50_ms": 190, "latency.p99_ms": 61000, "disk.read_await_ms": 38, "disk.read_iops": 110, "pg.wait.data_read": 7}})
				t.event(1, map[string]vals{"db-1": {"latency.p50_ms": 190, "latency.p99_ms": 61000, "disk.read_await_ms": 60500, "disk.read_iops": 1, "pg.wait.data_read": 8}})
				t.calm(120)
			},
			near: &near{instance: "db-1", runbook: "storage-hydration", verdict: store.Possible, unknown: []string{"initializing"}}},
		{name: "14 it was usual before", reported: "the same volume under a server whose requests were measured for minutes: the effect shows, its cause does not",
			play:  one(with(onPrimary(), vals{"rds.storage_initializing": unread}), 60, vals{"latency.p50_ms": 190, "latency.p99_ms": 61000, "disk.read_await_ms": 38, "disk.read_iops": 110, "pg.wait.data_read": 7}),
			opens: []string{"unexplained-stall db-1 stall"}},
		{name: "33 storage optimization", reported: "another storage operation stands at 83 %, latency is 0.9 ms as ever",
			play: one(with(onPrimary(), vals{"latency.p50_ms": 0.9}), 120, vals{"rds.storage_initializing": 0, "rds.storage_progress_pct": 83})},
		{name: "33 with a standby that falls behind", reported: "optimization slows the standby's disk; nothing is prefetched",
			play: pair(onPrimary(), onStandby(), "try", 90, nil, vals{"rds.storage_progress_pct": 83, "pg.replay_lag_s": 45, "disk.read_await_ms": 22, "disk.util_pct": 99, "pg.prefetch_s": 12})},
	}
}

func creditCases() []fieldCase {
	traffic := with(onPrimary(), vals{"disk.read_iops": 1500, "disk.read_kib_s": 24000, "disk.write_iops": 1300, "disk.write_kib_s": 20800, "disk.queue": 3, "disk.iops_limit": 300,
		"pg.table.kib{public.sessions}": 40960, "pg.vacuum.running{public.sessions}": 1, "latency.p50_ms": 20})
	empty := vals{"disk.read_iops": 160, "disk.read_kib_s": 2560, "disk.write_iops": 140, "disk.write_kib_s": 2240, "disk.queue": 60, "disk.write_await_ms": 250, "disk.read_await_ms": 220, "latency.p50_ms": 1500, "latency.rate": 30}
	return []fieldCase{
		{name: "19 the credit of gp2 is used up", reported: "2,900 I/Os a second fall to 300 and stay there, writes take 250 ms, a vacuum of 40 MB runs all the time",
			play: one(traffic, 60, empty), opens: unexplained, form: "latency"},
		{name: "19 with the limit of the burst", reported: "the same where the limit that was read is 3,000",
			play: one(with(traffic, vals{"disk.iops_limit": 3000, "disk.read_iops": 1450}), 60, empty), opens: unexplained},
		{name: "19 with the balance as CloudWatch tells it", reported: "the same, and a minute later the balance that was at 14 and 6 is read as 0",
			play: func(t *tape) {
				t.add("db-1", store.RolePrimary, with(traffic, vals{"cw.burst_balance_pct": 6}))
				t.calm(150)
				t.event(60, map[string]vals{"db-1": empty})
				t.event(60, map[string]vals{"db-1": with(empty, vals{"cw.burst_balance_pct": 0})})
				t.calm(400)
			}, opens: []string{"ebs-burst-exhausted db-1 stall"}, form: "volume"},
		{name: "21 the class allows less than the volume", reported: "byte balance at 0, I/O balance at 100, 4,000 I/Os a second, no pass runs",
			play: one(with(onPrimary(), vals{"disk.iops_limit": 11800, "disk.kib_s_limit": 254000}), 60,
				vals{"disk.read_iops": 3700, "disk.read_kib_s": 44000, "disk.write_iops": 300, "disk.read_await_ms": 45, "disk.queue": 90, "latency.p50_ms": 310, "pg.wait.data_read": 24}),
			opens: unexplained},
		{name: "21 the class's throughput falls during a pass", reported: "our variant: byte balance reaches 0, the limit falls below what is usual, and a table happens to be vacuumed",
			play: one(with(onPrimary(), vals{"disk.read_iops": 1100, "disk.read_kib_s": 90000, "disk.kib_s_limit": 254000, "pg.table.kib{public.sessions}": 40960, "pg.vacuum.running{public.sessions}": 1}), 60,
				vals{"disk.read_iops": 500, "disk.read_kib_s": 38500, "disk.kib_s_limit": 42300, "disk.queue": 60, "latency.p50_ms": 310}),
			opens: unexplained},
		{name: "21 the balance falls and nobody suffers", reported: "5 to 7 MiB/s with peaks, byte balance falls, which no signal of ours shows",
			play: one(onPrimary(), 60, vals{"disk.read_kib_s": 5500, "disk.read_iops": 300})},
		{name: "34 over before the alarm", reported: "made up: storage runs full, write latency of 21 ms and nine times the writes for some minutes, read by the minute, requests not measured",
			play: func(t *tape) {
				t.every = 60
				t.add("db-1", store.RolePrimary, with(onPrimary(), vals{"latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": unread, "disk.iops_limit": unread, "disk.kib_s_limit": unread,
					"disk.write_iops": 892, "disk.write_kib_s": unread, "disk.read_kib_s": unread, "pg.vacuum.running": unread, "pg.vacuum.passes": unread}))
				t.calm(900)
				for _, minute := range [][2]float64{{7892, 3.8}, {4821, 21.4}, {2104, 16.8}, {921, 4.2}, {889, 1.4}} {
					t.event(60, map[string]vals{"db-1": {"disk.write_iops": minute[0], "disk.write_await_ms": minute[1]}})
				}
				t.calm(300)
			},
			near: &near{instance: "db-1", runbook: "autovacuum-stall", unknown: []string{"vacuum-pass", "iops-at-limit"}}},
	}
}

func writeCases() []fieldCase {
	return []fieldCase{
		{name: "16 one file takes 64 s to sync", reported: "of three checkpoints alike one syncs for 74 s; commits wait while it syncs and not while it writes", play: longSync, opens: []string{"unexplained-stall db-1 stall"}},
		{name: "18 a restore with long checkpoints", reported: "checkpoints write for 600 to 1,100 s on a disk with 45,000 I/Os a second to spare, fsync off, autovacuum off",
			play: one(with(onPrimary(), vals{"disk.iops_limit": 45000, "disk.kib_s_limit": unread, "latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": unread, "pg.tps": 2}), 300,
				vals{"disk.write_iops": 24000, "disk.write_kib_s": 192000, "disk.write_await_ms": 5, "disk.util_pct": 100, "disk.queue": 120, "pg.wait.data_read": 1, "pg.active": 18})},
		{name: "22 each new segment", reported: "p99 from 4 to 310 ms every 9 s, p50 at 1.1 ms, I/Os of 64 KiB and a fifth more of them", play: newSegments, opens: []string{"wal-pool-stall db-1 stall"}},
		{name: "22 segments are made and nobody waits", reported: "the same segments on a volume that takes them",
			play: one(onPrimary(), 90, vals{"pg.wal_segments_created_s": 0.4, "pg.wait.wal_init": 1, "latency.p99_ms": 30})},
	}
}

// longSync: 270 s of spread writes, of which the end is played, then the sync;
// the checkpoint reports its sync time when it is done.
func longSync(t *tape) {
	t.add("db-1", store.RolePrimary, onPrimary())
	t.calm(120)
	t.play(100, map[string]vals{"db-1": {"disk.write_iops": 520, "disk.write_kib_s": 6200}})
	t.event(74, map[string]vals{"db-1": {"disk.write_iops": 900, "disk.write_kib_s": 30000, "disk.write_await_ms": 190, "disk.util_pct": 100, "disk.queue": 140,
		"latency.p50_ms": 1800, "latency.p99_ms": 9000, "latency.rate": 6, "pg.tps": 6, "pg.wait.wal": 14}})
	t.play(1, map[string]vals{"db-1": {"pg.checkpoint.sync_ms": 74105, "pg.checkpoint.done": 1}})
	t.calm(120)
}

// newSegments: a second in nine in which a segment is made.
func newSegments(t *tape) {
	busy := vals{"latency.p50_ms": 1.1, "latency.p99_ms": 4, "disk.write_iops": 250, "disk.write_kib_s": 16000, "pg.wal_segments_created_s": 0}
	t.add("db-1", store.RolePrimary, with(onPrimary(), busy))
	t.calm(120)
	for range 8 {
		t.event(1, map[string]vals{"db-1": {"latency.p99_ms": 310, "pg.wait.wal_init": 1, "pg.wait.wal": 2, "pg.wal_segments_created_s": 1, "disk.write_iops": 300, "disk.write_kib_s": 19200}})
		t.event(8, map[string]vals{"db-1": {"disk.write_iops": 300, "disk.write_kib_s": 19200}})
	}
	t.calm(200)
}
