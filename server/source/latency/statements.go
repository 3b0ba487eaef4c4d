package latency

import (
	"context"
	_ "embed" // the SQL
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stallbook/store"
)

var (
	//go:embed sql/extension.sql
	extensionSQL string
	//go:embed sql/statements.sql
	statementsSQL string
)

// Querier runs a read-only statement on the one connection that is kept to the
// server, between its other readings. each is called for every row.
type Querier interface {
	QueryRows(ctx context.Context, sql string, each func(row pgx.CollectableRow) error) error
}

// Statements estimates latency from pg_stat_statements. It under-reports commit
// stalls: a commit's flush comes after the time of its statement was taken.
// Collect is not for concurrent use.
type Statements struct {
	q      Querier
	schema string // quoted; "" until the extension was found
	role   string // quoted: our own, known when schema is
	told   bool
	last   map[StatementKey]StatementCounters
	lastAt time.Time
}

// NewStatements returns the source.
func NewStatements(q Querier) *Statements { return &Statements{q: q} }

// Connected is always true: the connection and its retries are the Querier's
// business, and asking it again costs nothing.
func (s *Statements) Connected() bool { return true }

const noExtension = "request latency is not known: this database has no pg_stat_statements. " +
	"Mend: shared_preload_libraries = 'pg_stat_statements' and a restart, then CREATE EXTENSION pg_stat_statements; or configure latency.prometheus"

// errNotLoaded is SQLSTATE 55000, which the extension's function raises.
const errNotLoaded = "55000"

// Collect reads the view once. A server without the extension is no failure but
// a note: nothing is known, and what would bring it.
func (s *Statements) Collect(ctx context.Context, now time.Time) store.Batch {
	b := store.Batch{Source: Name, At: now}
	if err := s.read(ctx, &b); err != nil {
		s.schema, s.last = "", nil
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == errNotLoaded {
			b.Notes = append(b.Notes, noExtension)
			return b
		}
		b.Err = "pg_stat_statements: " + err.Error()
	}
	return b
}

func (s *Statements) read(ctx context.Context, b *store.Batch) error {
	if s.schema == "" {
		if err := s.q.QueryRows(ctx, extensionSQL, func(row pgx.CollectableRow) error { return row.Scan(&s.schema, &s.role) }); err != nil {
			return err
		}
		if s.schema == "" {
			b.Notes = append(b.Notes, noExtension)
			return nil
		}
	}
	rows, masked, err := s.counters(ctx)
	if err != nil {
		return err
	}
	at := time.Now()
	if masked > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d statements of other roles are hidden, so latency is that of the rest. Mend: GRANT pg_read_all_stats TO %s; pg_monitor includes it", masked, s.role))
	}
	if e, ok := Estimate(s.last, rows); ok {
		b.Elapsed = at.Sub(s.lastAt)
		requests(b, float64(e.Calls))
		quantiles(b, e.P50, e.P99)
	}
	if !s.told {
		s.told = true
		b.Facts = map[string]string{fromFact: "estimate from pg_stat_statements; it does not hold the time commits wait for their flush"}
	}
	s.last, s.lastAt = rows, at
	return nil
}

// counters reads the view; masked is how many rows hide whose they are.
func (s *Statements) counters(ctx context.Context) (rows map[StatementKey]StatementCounters, masked int, err error) {
	rows = map[StatementKey]StatementCounters{}
	sql := strings.ReplaceAll(statementsSQL, "{{schema}}", s.schema)
	err = s.q.QueryRows(ctx, sql, func(row pgx.CollectableRow) error {
		var k StatementKey
		var query *int64
		var c StatementCounters
		if err := row.Scan(&k.User, &k.Database, &query, &k.TopLevel, &c.Calls, &c.Total, &c.Mean, &c.Stddev); err != nil {
			return err
		}
		if query == nil {
			masked++
			return nil
		}
		k.Query = *query
		rows[k] = c
		return nil
	})
	return rows, masked, err
}
