package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

// reading is what one round trip brought. A nil part was not asked or not answered.
type reading struct {
	at   time.Time     // when the answers were there, with the monotonic clock
	took time.Duration // the round trip

	instance   *instanceRow
	activity   *activityRow
	database   *databaseRow
	wal        *walRow
	segments   *segmentsRow
	checkpoint *checkpointRow
	senders    *sendersRow
	standby    *standbyRow
	prefetch   *prefetchRow
	vacuums    []vacuumRow
	asked      bool // vacuums is known, be it empty
	passes     []passRow

	failed map[string]error // by statement
}

type instanceRow struct {
	InRecovery bool      `db:"in_recovery"`
	Clock      time.Time `db:"clock"`
	Started    time.Time `db:"started"`
	SyncNames  string    `db:"sync_names"`
	Written    *int64    `db:"written"` // WAL position in bytes, on a primary
}

// roleOf: a server in recovery is a standby, also one that restores from an archive.
func roleOf(inRecovery bool) store.Role {
	if inRecovery {
		return store.RoleStandby
	}
	return store.RolePrimary
}

type activityRow struct {
	Active      int64   `db:"active"`
	OldestS     float64 `db:"oldest_s"`
	WAL         int64   `db:"wal"`
	SyncRep     int64   `db:"sync_rep"`
	DataRead    int64   `db:"data_read"`
	WALInit     int64   `db:"wal_init"`
	Lock        int64   `db:"lock"`
	StartupRead int64   `db:"startup_read"`
}

type databaseRow struct {
	Transactions *int64     `db:"transactions"`
	Stamped      int64      `db:"stamped"` // databases whose statistics have a date of reset
	Reset        *time.Time `db:"reset"`
}

type walRow struct {
	FPI         *int64     `db:"fpi"`
	BuffersFull *int64     `db:"buffers_full"`
	Reset       *time.Time `db:"reset"`
}

type segmentsRow struct {
	Created *int64     `db:"created"`
	Reset   *time.Time `db:"reset"`
}

type checkpointRow struct {
	WriteMs *int64     `db:"write_ms"`
	SyncMs  *int64     `db:"sync_ms"`
	Done    *int64     `db:"done"` // 18 and later
	Reset   *time.Time `db:"reset"`
}

type sendersRow struct {
	Streaming int64 `db:"streaming"`
}

type standbyRow struct {
	Received   *int64     `db:"received"` // WAL position in bytes; nil: never streamed
	Replayed   *int64     `db:"replayed"`
	ReplayedAt *time.Time `db:"replayed_at"`
	Receivers  int64      `db:"receivers"`
}

type prefetchRow struct {
	Prefetch *int64     `db:"prefetch"`
	Hit      *int64     `db:"hit"`
	SkipFPW  *int64     `db:"skip_fpw"`
	Reset    *time.Time `db:"reset"`
}

type vacuumRow struct {
	PID      int32   `db:"pid"`
	OID      int64   `db:"oid"`
	Database string  `db:"database"`
	Auto     bool    `db:"auto"`
	Query    string  `db:"query"`
	Name     *string `db:"name"` // nil in another database
}

type passRow struct {
	OID   int64 `db:"oid"`
	Count int64 `db:"count"`
}

// probes lists the statements of the fast loop; the first one must answer.
func probes() []*probe {
	return []*probe{
		{name: "instance", read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.instance) }},
		{name: "activity", when: seesSessions, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.activity) }},
		{name: "vacuum", when: seesSessions, read: func(r *reading, rows pgx.Rows) error {
			r.asked = true
			return many(rows, &r.vacuums)
		}},
		{name: "passes", on: store.RolePrimary, args: (*askedTables).arg, read: func(r *reading, rows pgx.Rows) error { return many(rows, &r.passes) }},
		{name: "senders", on: store.RolePrimary, when: seesSessions, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.senders) }},
		{name: "standby", on: store.RoleStandby, when: func(c capabilities) bool { return c.WAL }, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.standby) }},
		{name: "prefetch", on: store.RoleStandby, when: func(c capabilities) bool { return c.has("pg_stat_recovery_prefetch", "skip_fpw") }, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.prefetch) }},
		{name: "database", read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.database) }},
		{name: "wal", when: func(c capabilities) bool { return c.has("pg_stat_wal", "wal_fpi") }, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.wal) }},
		{name: "segments", when: func(c capabilities) bool { return c.has("pg_stat_io", "object") }, read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.segments) }},
		{name: "checkpoint", read: func(r *reading, rows pgx.Rows) error { return one(rows, &r.checkpoint) }},
	}
}

func seesSessions(c capabilities) bool { return c.Rights.AllStats }

func one[T any](rows pgx.Rows, into **T) error {
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if err == nil {
		*into = &v
	}
	return err
}

func many[T any](rows pgx.Rows, into *[]T) error {
	v, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	*into = v
	return err
}
