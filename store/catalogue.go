package store

// Scales: the value of one stored integer.
const (
	one     = 1.0
	milli   = 1e-3       // microseconds to ms, ms to s
	micro   = 1e-6       // microseconds to s
	perKiB  = 1.0 / 1024 // bytes to KiB
	percent = 1e-2       // hundredths
)

var (
	fromDisk    = []string{"nodeexporter", "enhanced", "cloudwatch", "replay"}
	fromPG      = []string{"postgres", "replay"}
	fromLatency = []string{"latency", "cloudwatch", "replay"}
	fromRDS     = []string{"rds", "replay"}
	fromCW      = []string{"cloudwatch", "replay"}
	fromEM      = []string{"enhanced", "replay"}
	fromAny     = []string{"postgres", "nodeexporter", "latency", "rds", "enhanced", "cloudwatch", "replay"}
)

// catalogue is every signal the program knows: the contract's and ours. A new
// signal is one line here; signature files are checked against these names.
var catalogue = []Signal{
	{"latency.p50_ms", "ms", Gauge, milli, "", "median request latency as the application sees it, or the best stand-in", fromLatency},
	{"latency.p99_ms", "ms", Gauge, milli, "", "99th percentile of request latency", fromLatency},
	{"latency.rate", "/s", Rate, one, "", "requests finished", fromLatency},

	{"disk.read_iops", "/s", Rate, one, "", "reads completed by the data volume", fromDisk},
	{"disk.write_iops", "/s", Rate, one, "", "writes completed by the data volume", fromDisk},
	{"disk.read_kib_s", "KiB/s", Rate, perKiB, "", "read from the data volume", fromDisk},
	{"disk.write_kib_s", "KiB/s", Rate, perKiB, "", "written to the data volume", fromDisk},
	{"disk.read_await_ms", "ms", Gauge, milli, "", "mean time of one read", fromDisk},
	{"disk.write_await_ms", "ms", Gauge, milli, "", "mean time of one write", fromDisk},
	{"disk.queue", "I/Os", Gauge, milli, "", "mean I/Os in flight", fromDisk},
	{"disk.util_pct", "%", Gauge, percent, "", "share of time the device was busy", fromDisk},
	{"disk.iops_limit", "/s", Gauge, one, "", "I/Os per second the volume or the instance class allows, the smaller", append([]string{"config", "rds"}, fromDisk...)},
	{"disk.kib_s_limit", "KiB/s", Gauge, one, "", "throughput the volume or the instance class allows, the smaller", append([]string{"config", "rds"}, fromDisk...)},
	{"disk.iops", "/s", Derived, milli, "", "reads and writes completed", fromDisk},
	{"disk.kib_s", "KiB/s", Derived, milli, "", "read and written", fromDisk},
	{"disk.io_kib", "KiB", Derived, milli, "", "mean size of one I/O", fromDisk},
	{"disk.read_io_kib", "KiB", Derived, milli, "", "mean size of one read", fromDisk},
	{"disk.write_io_kib", "KiB", Derived, milli, "", "mean size of one write", fromDisk},
	{"disk.await_ms", "ms", Gauge, milli, "", "mean time of one I/O, reads and writes together", fromEM},
	{"disk.physical_iops", "/s", Rate, one, "", "I/Os completed by the devices below the data volume, after merges", fromEM},
	{"disk.member_await_ms", "ms", Gauge, milli, "device", "mean time of one I/O of one device below the data volume", fromEM},

	{"host.cpu_pct", "%", Gauge, percent, "", "share of all CPUs in use", fromEM},
	{"host.iowait_pct", "%", Gauge, percent, "", "share of all CPUs idle while I/O is outstanding", fromEM},
	{"host.blocked_tasks", "tasks", Gauge, one, "", "processes stuck in the kernel, as a rule on I/O", fromEM},

	{"pg.tps", "/s", Rate, one, "", "transactions committed and rolled back", fromPG},
	{"pg.active", "sessions", Gauge, one, "", "client sessions that run a statement", fromPG},
	{"pg.oldest_active_s", "s", Gauge, milli, "", "age of the oldest transaction of an active client", fromPG},
	{"pg.wait.wal", "sessions", Gauge, one, "", "sessions that wait for a WAL write or flush", fromPG},
	{"pg.wait.sync_rep", "sessions", Gauge, one, "", "commits that wait for a synchronous standby", fromPG},
	{"pg.wait.data_read", "sessions", Gauge, one, "", "sessions that wait for a data file read", fromPG},
	{"pg.wait.wal_init", "sessions", Gauge, one, "", "sessions that create a new WAL segment", fromPG},
	{"pg.wait.lock", "sessions", Gauge, one, "", "sessions that wait for a lock", fromPG},
	{"pg.wait.startup_read", "sessions", Gauge, one, "", "1 while the startup process waits for a data file read", fromPG},
	{"pg.wal_kib_s", "KiB/s", Rate, perKiB, "", "WAL written", fromPG},
	{"pg.wal_fpi_s", "/s", Rate, one, "", "full page images written to WAL", fromPG},
	{"pg.wal_buffers_full_s", "/s", Rate, one, "", "times WAL was written because its buffers were full", fromPG},
	{"pg.wal_segments_created_s", "/s", Rate, one, "", "WAL segments created anew (18 and later)", fromPG},
	{"pg.wal_spare_segments", "segments", Gauge, one, "", "recycled WAL segments ready ahead of the current one", fromPG},
	{"pg.checkpoint.sync_ms", "ms", Events, one, "", "time checkpoints spent in fsync since the last sample", fromPG},
	{"pg.checkpoint.done", "", Events, one, "", "checkpoints finished since the last sample", fromPG},
	{"pg.vacuum.running", "", Gauge, one, "table", "1 while an autovacuum worker vacuums the table", fromPG},
	{"pg.vacuum.passes", "", Events, one, "table", "autovacuum passes ended since the last sample", fromPG},
	{"pg.vacuum.witness", "", Derived, one, "table", "1 while an autovacuum worker vacuums the table or when its pass just ended", fromPG},
	{"pg.table.kib", "KiB", Gauge, one, "table", "size of the table's main fork", fromPG},
	{"pg.table.inserts_since_vacuum", "rows", Gauge, one, "table", "rows inserted since the last vacuum", fromPG},
	{"pg.table.insert_trigger", "rows", Gauge, one, "table", "inserts at which the next insert-triggered pass comes", fromPG},
	{"pg.table.pages_not_visible", "pages", Gauge, one, "table", "pages the next pass may have to rewrite", fromPG},
	{"pg.replay_lag_kib", "KiB", Gauge, perKiB, "", "WAL received and not yet replayed", fromPG},
	{"pg.replay_lag_s", "s", Gauge, milli, "", "age of the last replayed transaction while WAL is left to replay", fromPG},
	{"pg.replay_kib_s", "KiB/s", Rate, perKiB, "", "WAL replayed", fromPG},
	{"pg.receive_kib_s", "KiB/s", Rate, perKiB, "", "WAL received", fromPG},
	{"pg.walreceiver_up", "", Gauge, one, "", "1 while a WAL receiver runs", fromPG},
	{"pg.prefetch_s", "/s", Rate, one, "", "blocks prefetched by WAL replay", fromPG},
	{"pg.prefetch_skip_fpw_s", "/s", Rate, one, "", "blocks not prefetched because a full page image holds them", fromPG},
	{"pg.prefetch_hit_s", "/s", Rate, one, "", "blocks found in shared buffers by WAL replay", fromPG},
	{"pg.sync.required", "standbys", Gauge, one, "", "standbys that must acknowledge a commit", fromPG},
	{"pg.sync.streaming", "standbys", Gauge, one, "", "standbys that can acknowledge a commit", fromPG},
	{"pg.slot_retained_kib", "KiB", Gauge, perKiB, "", "WAL held back by the replication slot that is furthest behind", fromPG},

	{"rds.storage_initializing", "", Gauge, one, "", "1 while the API reports StorageOperationStatus Initializing", fromRDS},
	{"rds.storage_progress_pct", "%", Gauge, one, "", "StorageOperationPercentProgress while the API reports it", fromRDS},

	{"cw.burst_balance_pct", "%", Gauge, percent, "", "burst credit of a gp2 volume that is left", fromCW},
	{"cw.ebs_io_balance_pct", "%", Gauge, percent, "", "credit for I/Os per second of the instance class that is left", fromCW},
	{"cw.ebs_byte_balance_pct", "%", Gauge, percent, "", "credit for throughput of the instance class that is left", fromCW},
	{"cw.read_latency_ms", "ms", Gauge, milli, "", "mean time of one read over a minute", fromCW},
	{"cw.write_latency_ms", "ms", Gauge, milli, "", "mean time of one write over a minute", fromCW},
	{"cw.read_iops", "/s", Gauge, milli, "", "reads a second over a minute", fromCW},
	{"cw.write_iops", "/s", Gauge, milli, "", "writes a second over a minute", fromCW},
	{"cw.read_kib_s", "KiB/s", Gauge, milli, "", "read over a minute", fromCW},
	{"cw.write_kib_s", "KiB/s", Gauge, milli, "", "written over a minute", fromCW},
	{"cw.queue", "I/Os", Gauge, milli, "", "I/Os outstanding over a minute", fromCW},
	{"cw.free_storage_kib", "KiB", Gauge, one, "", "storage that is free", fromCW},
	{"cw.replica_lag_s", "s", Gauge, milli, "", "lag of a replica as RDS measures it", fromCW},

	{"source.age_s", "s", Gauge, milli, "source", "age of the source's last good reading", fromAny},
	{"source.ok", "", Gauge, one, "source", "1 when the source's last reading succeeded", fromAny},
	{"source.poll_ms", "ms", Gauge, milli, "source", "time the source's last reading took", fromAny},
	{"source.server_ms", "ms", Gauge, milli, "source", "time the monitored server spent answering", fromAny},
}

var byName = func() map[string]SignalID {
	m := make(map[string]SignalID, len(catalogue))
	for i := range catalogue {
		m[catalogue[i].Name] = SignalID(i)
	}
	return m
}()
