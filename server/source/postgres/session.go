package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stallbook/store"
)

// statementTimeout bounds one statement on the server; it is below every
// client-side deadline, so that the server frees the session by itself.
const statementTimeout = 500 * time.Millisecond

// session is one connection with what was learnt about it.
type session struct {
	conn     *pgx.Conn
	base     context.Context // never done: for saying goodbye
	identity Identity
	role     store.Role // at the last answer
	caps     capabilities
	system   string            // system identifier, "" when it may not be read
	fast     []*probe          // the prepared statements of the fast loop
	off      map[string]string // statements that can't work here, with the reason
	isolate  bool              // run each statement in a transaction of its own, to find the one that fails
}

// dial connects, refuses what is not PostgreSQL itself, makes the session
// harmless and learns what it may use.
func dial(ctx context.Context, cfg *pgx.ConnConfig) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, base: context.WithoutCancel(ctx), off: map[string]string{}, isolate: true}
	for _, step := range []func(context.Context) error{s.identify, s.harmless, s.learn} {
		if err := step(ctx); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// close ends the connection without waiting for a server that hangs.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(s.base, 100*time.Millisecond)
	defer cancel()
	s.conn.Close(ctx)
}

// identify asks version() alone first: foreign servers know nothing else.
func (s *session) identify(ctx context.Context) error {
	b := Banner{ServerVersion: s.conn.PgConn().ParameterStatus("server_version")}
	if s.conn.PgConn().ParameterStatus("crdb_version") != "" {
		b.Version = "CockroachDB"
	}
	text, err := render("connect/version", capabilities{})
	if err != nil {
		return err
	}
	if err := s.conn.QueryRow(ctx, text, pgx.QueryExecModeSimpleProtocol).Scan(&b.Version); err != nil && !errors.As(err, new(*pgconn.PgError)) {
		return err
	}
	if s.identity, err = Identify(b); err != nil {
		return err
	}
	row, err := ask(ctx, s, "connect/identity", pgx.RowToStructByName[struct {
		Num string `db:"num"`
		PID int64  `db:"pid"`

		InRecovery bool `db:"in_recovery"`
	}])
	if err != nil || len(row) != 1 {
		return fmt.Errorf("asking for the version: %w", err)
	}
	b.Num = row[0].Num
	s.role = roleOf(row[0].InRecovery)
	if s.identity, err = Identify(b); err != nil {
		return err
	}
	// A pooler answers with a process id of its own making.
	if uint32(row[0].PID) != s.conn.PgConn().PID() {
		return &Refusal{poolerSentence(address(s.conn.Config()))}
	}
	return nil
}

func (s *session) harmless(ctx context.Context) error {
	_, err := ask(ctx, s, "connect/session", pgx.RowTo[string], strconv.Itoa(int(statementTimeout/time.Millisecond))+"ms")
	return err
}

// learn asks the catalog what there is. What it may not ask is unknown, not an error.
func (s *session) learn(ctx context.Context) error {
	type column struct {
		Relation string `db:"relation"`
		Column   string `db:"column"`
	}
	columns, err := ask(ctx, s, "connect/columns", pgx.RowToStructByName[column])
	if err != nil {
		return err
	}
	s.caps.Columns = map[string][]string{}
	for _, c := range columns {
		s.caps.Columns[c.Relation] = append(s.caps.Columns[c.Relation], c.Column)
	}
	if err := s.learnRights(ctx); err != nil {
		return err
	}
	traces, err := ask(ctx, s, "connect/platform", pgx.RowToStructByName[trace])
	if err := tolerate(err); err != nil {
		return err
	}
	s.caps.Platform = platformOf(traces)
	if s.caps.Platform == "rds" {
		// Not in pg_proc even where it exists: only calling it tells.
		if _, err := ask(ctx, s, "connect/aurora", pgx.RowTo[string]); err == nil {
			s.caps.Platform = "aurora"
		} else if err := tolerate(err); err != nil {
			return err
		}
	}
	s.caps.WAL = s.caps.Platform != "aurora"
	system, err := ask(ctx, s, "connect/system", pgx.RowTo[string])
	if err == nil && len(system) == 1 {
		s.system = system[0]
	}
	if err := tolerate(err); err != nil {
		return err
	}
	return s.prepare(ctx)
}

func (s *session) learnRights(ctx context.Context) error {
	found, err := ask(ctx, s, "connect/rights", pgx.RowToStructByName[rights])
	if err == nil && len(found) == 1 {
		s.caps.Rights = found[0]
	} else if s.caps.Rights.Role == "" {
		cfg := s.conn.Config()
		s.caps.Rights = rights{Role: cfg.User, Database: cfg.Database, Block: 8192}
	}
	return tolerate(err)
}

// tolerate passes on only what ends the connection: an answer that says no is an
// answer.
func tolerate(err error) error {
	if err != nil && sqlState(err) != "" {
		return nil
	}
	return err
}

// ask runs one file of sql/ outside the pipeline and collects its rows.
func ask[T any](ctx context.Context, s *session, name string, scan pgx.RowToFunc[T], args ...any) ([]T, error) {
	text, err := render(name, s.caps)
	if err != nil {
		return nil, err
	}
	rows, err := s.conn.Query(ctx, text, append([]any{pgx.QueryExecModeExec}, args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}
