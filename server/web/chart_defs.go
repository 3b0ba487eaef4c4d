package web

import "stallbook/store"

// chartDef is one chart of an instance: one quantity in one unit.
type chartDef struct {
	id, title, scope, unit string
	scale                  float64 // value shown = value of the signal * scale
	lines                  []lineDef
	limit                  string     // signal of the limit, "" when it runs against none
	on                     store.Role // means something there only; "" on both
}

type lineDef struct {
	signal, name, class string
}

// chartDefs is every chart in order. One that has data is drawn, the others are
// listed with what would bring them. The same quantity has the same colour on
// every page. On a standby its own come first.
var chartDefs = []chartDef{
	{id: "p50", title: "Latency, p50", scope: "requests", unit: "ms", lines: []lineDef{{"latency.p50_ms", "", "c1"}}},
	{id: "p99", title: "Latency, p99", scope: "requests", unit: "ms", lines: []lineDef{{"latency.p99_ms", "", "c2"}}},
	{id: "iops", title: "I/Os", unit: "/s", limit: "disk.iops_limit", lines: []lineDef{{"disk.iops", "all", "c1"}, {"disk.read_iops", "reads", "c2"}}},
	{id: "kib", title: "Throughput", unit: "MiB/s", scale: 1.0 / 1024, limit: "disk.kib_s_limit", lines: []lineDef{{"disk.kib_s", "all", "c3"}, {"disk.read_kib_s", "reads", "c2"}}},
	{id: "size", title: "Mean I/O", unit: "KiB", lines: []lineDef{{"disk.io_kib", "", "c1"}}},
	{id: "await", title: "Time per I/O", scope: "disk", unit: "ms", lines: []lineDef{{"disk.write_await_ms", "write", "c1"}, {"disk.read_await_ms", "read", "c2"}}},
	{id: "waits", title: "Sessions waiting", lines: []lineDef{{"pg.wait.wal", "WAL", "c5"}, {"pg.wait.sync_rep", "standby", "c2"}}},
	{id: "wal", title: "WAL written", unit: "MiB/s", scale: 1.0 / 1024, on: store.RolePrimary, lines: []lineDef{{"pg.wal_kib_s", "", "c4"}}},
	{id: "fpi", title: "Full-page images", scope: "WAL", unit: "/s", on: store.RolePrimary, lines: []lineDef{{"pg.wal_fpi_s", "", "c4"}}},
	{id: "lag", title: "Replay lag", unit: "s", on: store.RoleStandby, lines: []lineDef{{"pg.replay_lag_s", "", "c5"}}},
	{id: "left", title: "Left to replay", unit: "MiB", scale: 1.0 / 1024, on: store.RoleStandby, lines: []lineDef{{"pg.replay_lag_kib", "", "c1"}}},
	{id: "replay", title: "WAL replayed", unit: "MiB/s", scale: 1.0 / 1024, on: store.RoleStandby, lines: []lineDef{{"pg.replay_kib_s", "", "c4"}}},
	{id: "prefetch", title: "Blocks prefetched", scope: "WAL replay", unit: "/s", on: store.RoleStandby, lines: []lineDef{{"pg.prefetch_s", "read", "c1"}, {"pg.prefetch_skip_fpw_s", "skipped", "c4"}}},
	{id: "loaded", title: "Volume loaded", scope: "from its snapshot", unit: "%", lines: []lineDef{{"rds.storage_progress_pct", "", "c1"}}},
}

func (d chartDef) factor() float64 {
	if d.scale == 0 {
		return 1
	}
	return d.scale
}

func (l lineDef) id() store.SignalID { return store.MustLookup(l.signal) }

// chartsFor is the charts that mean something for a role, the most telling first.
func chartsFor(role store.Role) []chartDef {
	var own, rest []chartDef
	for _, d := range chartDefs {
		switch {
		case d.on == "":
			rest = append(rest, d)
		case d.on != role && role != store.RoleUnknown:
		case role == store.RoleStandby:
			own = append(own, d)
		default:
			rest = append(rest, d)
		}
	}
	return append(own, rest...)
}
