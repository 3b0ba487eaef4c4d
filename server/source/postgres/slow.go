package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

// slowStart is how much of a tick may be gone before a slow task is put off to
// the next one: the server's own statement timeout must still end it in time.
const slowStart = 250 * time.Millisecond

// slowLoop does what need not be known within the second: settings, tables,
// slots, other databases. It runs one task after another behind a fast poll and
// leaves the rest to the next tick when time gets short.
type slowLoop struct {
	configured time.Duration // 0: by version
	databases  []string      // as configured

	queue    []task
	next     time.Time                   // when the queue is filled again
	watched  []string                    // other databases, as last listed
	ownToo   bool                        // the tables of the DSN's database are watched
	only     string                      // the one watched database; "" when there are several
	skipped  []string                    // notes about databases that are not visited
	names    map[string]map[int64]string // tables by database and oid
	troubles map[string]trouble          // by database
}

// task is one piece of the slow loop.
type task struct {
	name string
	on   store.Role
	when func(capabilities) bool
	do   func(context.Context, *Source, *store.Batch) error
}

func newSlowLoop(databases []string, every time.Duration) slowLoop {
	return slowLoop{configured: every, databases: databases, names: map[string]map[int64]string{}, troubles: map[string]trouble{}}
}

// disconnected makes the next connection start with a full round.
func (l *slowLoop) disconnected() { l.queue, l.next = nil, time.Time{} }

func (l *slowLoop) every(major int) time.Duration {
	switch {
	case l.configured > 0:
		return l.configured
	case major < 15:
		return 30 * time.Second // there, each reader makes the collector write a file
	}
	return 10 * time.Second
}

// work runs due tasks while there is time.
func (l *slowLoop) work(ctx context.Context, s *Source, b *store.Batch, begun time.Time) {
	if now := time.Now(); len(l.queue) == 0 && !now.Before(l.next) {
		l.next = now.Add(l.every(s.session.identity.Major))
		l.queue = l.round()
	}
	for len(l.queue) > 0 && time.Since(begun) < slowStart && !s.session.conn.IsClosed() {
		t := l.queue[0]
		l.queue = l.queue[1:]
		if t.on != store.RoleUnknown && t.on != s.session.role || t.when != nil && !t.when(s.session.caps) || s.session.off[t.name] != "" {
			continue
		}
		if err := t.do(ctx, s, b); err != nil && permanent(err) {
			s.session.off[t.name] = err.Error()
		}
	}
}

// round lists the tasks of one round; each other database is one of them.
func (l *slowLoop) round() []task {
	hasWAL := func(c capabilities) bool { return c.WAL }
	tasks := []task{
		{name: "settings", do: readSettings},
		{name: "rights", do: readRights},
		{name: "databases", do: listDatabases},
		{name: "tables", on: store.RolePrimary, do: readTables},
		{name: "waldir", on: store.RolePrimary, when: func(c capabilities) bool { return c.WAL && c.Rights.WALDir }, do: readWALDir},
		{name: "slots", when: hasWAL, do: readSlots},
	}
	for _, name := range l.watched {
		tasks = append(tasks, task{name: databaseTask + name, on: store.RolePrimary, do: func(ctx context.Context, s *Source, b *store.Batch) error {
			return s.slow.visit(ctx, s, b, name)
		}})
	}
	return tasks
}

// label is how a table is called: with its database, unless that is the only one
// watched.
func (l *slowLoop) label(database, table string) string {
	if database == l.only {
		return table
	}
	return ident(database) + "." + table
}

// nameOf finds the table of an oid among those the slow loop has seen.
func (l *slowLoop) nameOf(database string, oid int64) string { return l.names[database][oid] }

func (l *slowLoop) remember(database string, tables []tableRow) {
	names := make(map[int64]string, len(tables))
	for _, t := range tables {
		names[t.OID] = t.Name
	}
	l.names[database] = names
}

// readRights notices a GRANT or REVOKE: what may be seen is settled at connect,
// so the connection is made anew.
func readRights(ctx context.Context, s *Source, _ *store.Batch) error {
	before := s.session.caps.Rights
	if err := s.session.learnRights(ctx); err != nil {
		return err
	}
	if s.session.caps.Rights != before {
		s.session.close()
	}
	return nil
}

// settingNames are the settings told as facts pg.setting.NAME; none of them
// holds a secret.
var settingNames = []string{
	"autovacuum", "autovacuum_max_workers", "autovacuum_naptime", "autovacuum_vacuum_cost_delay", "autovacuum_vacuum_cost_limit",
	"autovacuum_vacuum_insert_scale_factor", "autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_scale_factor",
	"autovacuum_vacuum_threshold", "autovacuum_freeze_max_age", "vacuum_buffer_usage_limit", "log_autovacuum_min_duration",
	"checkpoint_completion_target", "checkpoint_timeout", "checkpoint_flush_after", "log_checkpoints", "max_wal_size", "min_wal_size",
	"data_checksums", "full_page_writes", "wal_log_hints", "wal_compression", "wal_buffers", "wal_init_zero", "wal_recycle",
	"wal_segment_size", "wal_keep_size", "max_slot_wal_keep_size", "wal_level", "wal_sync_method", "commit_delay",
	"recovery_prefetch", "maintenance_io_concurrency", "effective_io_concurrency", "wal_decode_buffer_size", "io_method", "restore_command",
	"archive_command", "recovery_min_apply_delay", "hot_standby_feedback", "max_standby_streaming_delay", "wal_receiver_timeout", "wal_sender_timeout",
	"synchronous_standby_names", "synchronous_commit", "shared_buffers", "max_connections", "data_directory", "track_io_timing", "track_wal_io_timing", "server_version",
}

func readSettings(ctx context.Context, s *Source, b *store.Batch) error {
	type setting struct {
		Name  string `db:"name"`
		Value string `db:"value"`
	}
	found, err := ask(ctx, s.session, "slow/settings", pgx.RowToStructByName[setting], settingNames)
	if err != nil {
		return err
	}
	if b.Facts == nil {
		b.Facts = map[string]string{}
	}
	for _, f := range found {
		b.Facts["pg.setting."+f.Name] = f.Value
	}
	return nil
}

func readWALDir(ctx context.Context, s *Source, b *store.Batch) error {
	return readGauge(ctx, s, b, "slow/waldir", sigSpare)
}

func readSlots(ctx context.Context, s *Source, b *store.Batch) error {
	return readGauge(ctx, s, b, "slow/slots", sigRetained)
}

func readGauge(ctx context.Context, s *Source, b *store.Batch, name string, id store.SignalID) error {
	found, err := ask(ctx, s.session, name, pgx.RowTo[int64])
	if err == nil && len(found) == 1 {
		b.Samples = append(b.Samples, store.Sample{Signal: id, N: max(0, found[0])})
	}
	return err
}

func listDatabases(ctx context.Context, s *Source, _ *store.Batch) error {
	l, own := &s.slow, s.session.caps.Rights
	if len(l.databases) == 0 {
		l.ownToo, l.only = true, own.Database
		return nil
	}
	found, err := ask(ctx, s.session, "connect/databases", pgx.RowToStructByName[databaseEntry])
	if err != nil {
		return err
	}
	before := l.watched
	l.watched, l.skipped = choose(l.databases, found, own)
	l.ownToo = slices.Contains(l.databases, own.Database) || slices.Contains(l.databases, AllDatabases)
	switch {
	case l.ownToo && len(l.watched) == 0:
		l.only = own.Database
	case !l.ownToo && len(l.watched) == 1:
		l.only = l.watched[0]
	default:
		l.only = ""
	}
	if len(l.queue) > 0 && !slices.Equal(before, l.watched) { // in the midst of a round
		for _, t := range l.round() {
			if name, other := otherDatabase(t.name); other && !slices.Contains(before, name) {
				l.queue = append(l.queue, t)
			}
		}
	}
	return nil
}
