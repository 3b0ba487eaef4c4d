package server

import "stallbook/store"

// onPrimary is a quiet primary on a volume of 3,000 I/Os and 125 MiB a second.
func onPrimary() vals {
	return vals{
		"latency.p50_ms": 5, "latency.p99_ms": 16, "latency.rate": 400,
		"disk.read_iops": 80, "disk.write_iops": 220, "disk.read_kib_s": 1280, "disk.write_kib_s": 3520,
		"disk.read_await_ms": 0.7, "disk.write_await_ms": 1.1, "disk.queue": 0.4, "disk.util_pct": 18,
		"disk.iops_limit": 3000, "disk.kib_s_limit": 128000,
		"pg.tps": 400, "pg.active": 3, "pg.wait.wal": 0, "pg.wait.sync_rep": 0, "pg.wait.data_read": 0, "pg.wait.wal_init": 0, "pg.wait.lock": 0,
		"pg.wal_kib_s": 1800, "pg.vacuum.running": 0, "pg.vacuum.passes": 0, "pg.sync.required": 0, "pg.sync.streaming": 0,
		"pg.checkpoint.sync_ms": 0, "pg.checkpoint.done": 0, "rds.storage_initializing": 0,
	}
}

// one plays 150 s as usual on a single primary, the event, and 150 s as usual.
func one(usual vals, seconds int, changed vals) func(*tape) {
	return func(t *tape) {
		t.add("db-1", store.RolePrimary, usual)
		t.calm(150)
		t.event(seconds, map[string]vals{"db-1": changed})
		t.calm(150)
	}
}

var (
	passStalls  = []string{"autovacuum-stall db-1 stall"}
	unexplained = []string{"unexplained-stall db-1 stall"}
	noLimits    = vals{"disk.iops_limit": unread, "disk.kib_s_limit": unread}
)

// vacuumCases are about passes: those that stall commits, and those that run
// while all is well or while something else stalls them.
func vacuumCases() []fieldCase {
	return append(append(growingCases(), combinedCases()...), decoyPassCases()...)
}

// growingCases are tables that only grow.
func growingCases() []fieldCase {
	big := with(onPrimary(), vals{"pg.table.kib{public.downloads_daily}": 282895 * 8})
	ops := with(onPrimary(), vals{"pg.table.kib{public.operations}": 860996 * 8})
	pass := vals{"pg.vacuum.running{public.operations}": 1, "disk.read_iops": 2400, "disk.read_kib_s": 19200, "disk.write_iops": 590, "disk.queue": 30}
	return []fieldCase{
		{name: "01 the trigger is nights away", reported: "43 M rows that only grow, 50,708 a night, the insert trigger 17 nights off",
			play: one(with(big, vals{"pg.table.inserts_since_vacuum{public.downloads_daily}": 310000, "pg.table.insert_trigger{public.downloads_daily}": 861000, "pg.table.pages_not_visible{public.downloads_daily}": 59408}), 30,
				vals{"disk.write_iops": 480, "pg.wal_kib_s": 5200, "pg.table.inserts_since_vacuum{public.downloads_daily}": 360708})},
		{name: "01 the pass over 271,775 pages", reported: "the first full pass would read 2.1 GiB: here on a volume of 3,000 I/Os a second",
			play: one(big, 95, vals{"pg.vacuum.running{public.downloads_daily}": 1, "disk.read_iops": 1500, "disk.read_kib_s": 12000, "disk.write_iops": 1480, "disk.write_kib_s": 11840,
				"disk.queue": 24, "disk.util_pct": 100, "latency.p50_ms": 62, "latency.p99_ms": 240, "latency.rate": 120, "pg.wait.wal": 9}),
			opens: passStalls, form: "iops-limit"},
		{name: "02 a pass over a sixth of the table", reported: "148,448 pages to read, index scans 0; nobody complained of requests",
			play: one(ops, 60, vals{"pg.vacuum.running{public.operations}": 1, "disk.read_iops": 900, "disk.read_kib_s": 20000, "disk.write_iops": 500})},
		{name: "02 the same pass at the volume's limit", reported: "148,448 pages at 3,000 a second last 50 s, and requests wait",
			play: one(ops, 50, with(pass, vals{"latency.p50_ms": 48})), opens: passStalls},
		{name: "02 a tenth of it after the fix", reported: "with the factor at 0.02 about 15,000 pages a pass, ten times as often",
			play: one(ops, 5, with(pass, vals{"latency.p50_ms": 12}))},
	}
}

// combinedCases are passes of version 18, which reads up to 16 pages at once.
func combinedCases() []fieldCase {
	plain := with(onPrimary(), vals{"pg.table.kib{public.t}": 74240 * 8})
	single := vals{"pg.vacuum.running{public.t}": 1, "disk.read_iops": 6817, "disk.read_kib_s": 54535, "disk.write_iops": 1731, "disk.write_kib_s": 13844, "pg.wal_kib_s": 14765}
	combined := vals{"pg.vacuum.running{public.t}": 1, "disk.read_iops": 340, "disk.read_kib_s": 42000, "disk.write_iops": 410, "disk.write_kib_s": 23000, "disk.queue": 18, "latency.p50_ms": 80}
	return []fieldCase{
		{name: "04 version 18 on a fast disk", reported: "53 MB/s of reads and 13.5 MB/s of writes for 10.9 s; no request was said to wait",
			play: one(with(plain, noLimits), 11, single)},
		{name: "04 single pages, limit unknown", reported: "the same 8,548 I/Os a second of one page each where nobody knows the limit and usual I/Os are large",
			play:  one(with(with(plain, noLimits), vals{"disk.read_kib_s": 2560, "disk.write_kib_s": 7040}), 11, with(single, vals{"latency.p50_ms": 70})),
			opens: passStalls, form: "iops-surge"},
		{name: "04 combined I/Os at the bandwidth limit", reported: "128 KiB at once make the I/Os grow; 81.8 MB/s do not fit through 64 MiB/s",
			play:  one(with(plain, vals{"disk.kib_s_limit": 65536}), 13, combined),
			opens: passStalls, form: "bandwidth-limit"},
		{name: "04 combined I/Os, limit unknown", reported: "the same where nobody knows the limit: the cause can't be proved, the effect can",
			play:  one(with(plain, noLimits), 13, combined),
			opens: unexplained, form: "latency"},
	}
}

// decoyPassCases are passes that are not the cause of what happens, or of which
// nobody suffers.
func decoyPassCases() []fieldCase {
	events := with(onPrimary(), vals{"pg.table.kib{public.events}": 800 << 20})
	runs := vals{"pg.vacuum.running{public.events}": 1}
	return []fieldCase{
		{name: "24 a pass of hours without effect", reported: "an 800 GB table is vacuumed from two to six each night",
			play: one(with(events, runs), 400, vals{"disk.read_iops": 700, "disk.read_kib_s": 11200})},
		{name: "24 dead rows, and the disk is full", reported: "30 % dead rows, requests three to five times slower, the disk at 100 %: the pass is the cause, though not by inserts",
			play: one(with(events, vals{"pg.table.inserts_since_vacuum{public.events}": 40000, "pg.table.insert_trigger{public.events}": 24001000}), 120,
				with(runs, vals{"disk.read_iops": 2200, "disk.read_kib_s": 17600, "disk.write_iops": 790, "disk.queue": 32, "disk.util_pct": 100, "latency.p50_ms": 22, "latency.p99_ms": 90})),
			opens: passStalls, form: "iops-limit"},
		{name: "24 an index that takes 5.7 h", reported: "vacuuming an unused GIN index, requests ten times slower, the volume far from its limit",
			play: one(with(events, runs), 90, vals{"latency.p50_ms": 70, "disk.read_iops": 260, "disk.util_pct": 100}), opens: unexplained, form: "latency"},
		{name: "25 a pass a minute that removes nothing", reported: "a slot holds the horizon, one table is vacuumed again and again, I/O rises, requests do not wait", play: heldHorizon},
		{name: "a pass over the catalog", reported: "requests wait at the limit of the volume while pg_attribute is vacuumed",
			play:  one(with(onPrimary(), vals{"pg.table.kib{pg_catalog.pg_attribute}": 90000}), 20, vals{"pg.vacuum.running{pg_catalog.pg_attribute}": 1, "disk.read_iops": 2700, "latency.p50_ms": 90}),
			opens: unexplained},
	}
}

// heldHorizon: a pass of 20 s each minute, each with a little more I/O than the
// one before.
func heldHorizon(t *tape) {
	t.add("db-1", store.RolePrimary, with(onPrimary(), vals{"pg.table.kib{public.jobs}": 90000}))
	t.calm(120)
	for i := range 6 {
		t.event(20, map[string]vals{"db-1": {"pg.vacuum.running{public.jobs}": 1, "disk.read_iops": 400 + 300*float64(i), "disk.read_kib_s": 3200 + 2400*float64(i)}})
		t.event(1, map[string]vals{"db-1": {"pg.vacuum.passes{public.jobs}": 1}})
		t.event(39, nil)
	}
	t.calm(60)
}
