package server

import "stallbook/store"

// onStandby is a standby that follows closely, on a volume of 3,000 I/Os a second.
func onStandby() vals {
	return vals{
		"disk.read_iops": 60, "disk.write_iops": 200, "disk.read_kib_s": 960, "disk.write_kib_s": 3200,
		"disk.read_await_ms": 0.6, "disk.write_await_ms": 1, "disk.queue": 0.3, "disk.util_pct": 12, "disk.iops_limit": 3000,
		"pg.replay_lag_s": 0, "pg.replay_lag_kib": 0, "pg.replay_kib_s": 1800, "pg.receive_kib_s": 1800, "pg.walreceiver_up": 1,
		"pg.prefetch_s": 4, "pg.prefetch_skip_fpw_s": 2, "pg.prefetch_hit_s": 900, "pg.wait.startup_read": 0, "rds.storage_initializing": 0,
	}
}

// inSync is a primary whose commits one standby must acknowledge.
func inSync() vals {
	return with(onPrimary(), vals{"pg.sync.required": 1, "pg.sync.streaming": 1, "pg.wait.sync_rep": 1})
}

// pair is a primary and a standby with recovery_prefetch as given; "" is a server
// that does not know the setting.
func pair(primary, standby vals, prefetch string, seconds int, onP, onS vals) func(*tape) {
	return func(t *tape) {
		t.add("db-1", store.RolePrimary, primary)
		s := t.add("db-2", store.RoleStandby, standby)
		if prefetch != "" {
			s.facts["pg.setting.recovery_prefetch"] = prefetch
		}
		t.calm(150)
		t.event(seconds, map[string]vals{"db-1": onP, "db-2": onS})
		t.calm(150)
	}
}

var noPrefetch = vals{"pg.prefetch_s": unread, "pg.prefetch_skip_fpw_s": unread, "pg.prefetch_hit_s": unread}

// standbyCases are about standbys that are behind, that hold up commits, or that
// only look as if they did.
func standbyCases() []fieldCase {
	return append(append(acknowledgeCases(), replayCases()...), idleCases()...)
}

// acknowledgeCases are commits that wait for a standby.
func acknowledgeCases() []fieldCase {
	waits := vals{"pg.wait.sync_rep": 38, "pg.tps": 85, "latency.p50_ms": 430, "latency.p99_ms": 900, "latency.rate": 85}
	stops := vals{"pg.wait.sync_rep": 38, "pg.tps": 0, "latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": 0}
	alone := with(stops, vals{"pg.sync.streaming": 0})
	starved := vals{"disk.read_iops": 60, "disk.read_kib_s": 480, "disk.read_await_ms": 310, "disk.util_pct": 100, "disk.queue": 20}
	standby := with(onStandby(), noPrefetch)
	lost := []string{"sync-standby-lost db-1 outage"}
	return []fieldCase{
		{name: "08 the receiver waits for its disk", reported: "9.6: the only WAL receiver reads an old record before it writes, hundreds of ms each; all writes wait, the standby still streams",
			play: pair(inSync(), standby, "", 40, waits, starved), opens: unexplained,
			near: &near{instance: "db-1", runbook: "sync-standby-lost", verdict: store.NoMatch, yes: []string{"standby-required", "commits-wait"}}},
		{name: "08 until the sender gives up", reported: "the same, and after its timeout the connection is ended",
			play: func(t *tape) {
				t.add("db-1", store.RolePrimary, inSync())
				t.add("db-2", store.RoleStandby, standby)
				t.calm(150)
				t.event(30, map[string]vals{"db-1": waits, "db-2": starved})
				t.event(20, map[string]vals{"db-1": alone, "db-2": with(starved, vals{"pg.walreceiver_up": 0})})
				t.calm(150)
			}, opens: lost},
		{name: "09 three minutes, and no figures of the standby", reported: "writes stood still for 3 min, the sender ended after 1 min; of the standby nobody had anything",
			play: func(t *tape) {
				t.add("db-1", store.RolePrimary, inSync())
				t.calm(150)
				t.event(60, map[string]vals{"db-1": stops})
				t.event(115, map[string]vals{"db-1": alone})
				t.calm(150)
			}, opens: lost},
		{name: "09 before the sender gave up", reported: "the first minute alone: the standby streams and acknowledges nothing",
			play: one(inSync(), 55, stops), opens: unexplained, form: "sync-rep"},
		{name: "27 the standby's flush is slow", reported: "the network was blamed; the standby's fdatasync took 240 ms, it read little and replayed at once",
			play: pair(inSync(), onStandby(), "try", 40, vals{"pg.wait.sync_rep": 30, "latency.p50_ms": 246, "latency.rate": 100, "pg.tps": 100},
				vals{"disk.read_iops": 30, "disk.write_await_ms": 180, "disk.util_pct": 97, "pg.replay_lag_s": 0.241, "pg.prefetch_s": 1}),
			opens: unexplained},
	}
}

// replayCases are standbys that fall behind because replay itself is slow.
func replayCases() []fieldCase {
	metal := with(onStandby(), vals{"disk.iops_limit": unread})
	storm := vals{"pg.replay_lag_s": 10800, "pg.replay_lag_kib": 190 << 20, "pg.prefetch_s": 41000, "pg.prefetch_skip_fpw_s": 36000, "pg.prefetch_hit_s": 900,
		"disk.read_iops": 2600, "disk.read_kib_s": 20800, "disk.util_pct": 35, "host.cpu_pct": 40}
	single := vals{"pg.replay_lag_s": 240, "disk.read_iops": 125, "disk.read_kib_s": 1000, "disk.read_await_ms": 8, "disk.queue": 1, "disk.util_pct": 100, "pg.wait.startup_read": 1}
	return []fieldCase{
		{name: "06 prefetching costs processor time", reported: "hours behind on strong metal, the startup process calls fadvise without end, the disk has room; off cured it",
			play: pair(onPrimary(), metal, "try", 90, nil, storm),
			near: &near{instance: "db-2", runbook: "recovery-prefetch", verdict: store.Possible, yes: []string{"prefetching", "replay-behind", "prefetch-on"}, unknown: []string{"reads-at-limit"}}},
		{name: "06 prefetching to the disk's end", reported: "the same standby on a device that can't keep up, limit unknown",
			play:  pair(onPrimary(), metal, "try", 90, nil, with(storm, vals{"disk.util_pct": 100, "disk.queue": 10})),
			opens: []string{"recovery-prefetch db-2 stall"}, form: "busy"},
		{name: "06 after it was switched off", reported: "still behind, catching up without prefetching",
			play: pair(onPrimary(), metal, "off", 90, nil, vals{"pg.replay_lag_s": 9000, "pg.prefetch_s": 0, "disk.read_iops": 900, "disk.util_pct": 60})},
		{name: "28 replay waits for a query", reported: "replay stood 18 s behind a query's snapshot on an idle disk",
			play: pair(onPrimary(), onStandby(), "try", 18, nil, vals{"pg.replay_lag_s": 18, "pg.replay_lag_kib": 32400, "pg.replay_kib_s": 0, "pg.prefetch_s": 0, "disk.read_iops": 0, "disk.read_kib_s": 0})},
		{name: "30 one block at a time before 15", reported: "8 ms a read make 125 records a second; the volume allows 3,000 and the lag grows",
			play: pair(onPrimary(), with(onStandby(), noPrefetch), "", 90, nil, single)},
		{name: "30 one block at a time, switched off", reported: "the same on 15 and later with recovery_prefetch off: the advice would be the opposite",
			play: pair(onPrimary(), with(onStandby(), vals{"pg.prefetch_s": 0}), "off", 90, nil, single),
			near: &near{instance: "db-2", runbook: "recovery-prefetch", verdict: store.NoMatch, yes: []string{"replay-behind", "device-busy", "reads-small"}}},
	}
}

// idleCases are lags that are none.
func idleCases() []fieldCase {
	still := with(onStandby(), vals{"pg.replay_kib_s": 0, "pg.receive_kib_s": 0, "pg.prefetch_s": 0, "disk.read_iops": 0, "disk.read_kib_s": 0})
	return []fieldCase{
		{name: "31 an idle primary", reported: "nothing is written, and the age of the last transaction grows to 7,466 s: our lag counts only while WAL is left",
			play: pair(with(onPrimary(), vals{"latency.p50_ms": unread, "latency.p99_ms": unread, "latency.rate": 0, "pg.tps": 0.2, "disk.write_iops": 2}), still, "try", 60, nil, nil)},
		{name: "31 the first record after hours", reported: "for a second one record is left to replay, and the transaction before it is two hours old",
			play: pair(onPrimary(), still, "try", 1, nil, vals{"pg.replay_lag_s": 7466.495, "pg.replay_lag_kib": 1})},
		{name: "31 an age as others measure it", reported: "a recording of another tool: 7,466 s, and 3.5 M s on a server that was promoted once",
			play: pair(with(onPrimary(), vals{"pg.replay_lag_s": 3567749.7}), with(still, vals{"pg.replay_lag_s": 7466.5}), "try", 60, nil, nil)},
	}
}
