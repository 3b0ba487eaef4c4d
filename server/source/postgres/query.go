package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// guestTime bounds a statement that another source runs on our connection, so
// that it can't cost more than the tick in which it falls.
const guestTime = 700 * time.Millisecond

var errNotConnected = errors.New("the connection of the postgres source is down")

// QueryRows runs a read-only statement of another source (pg_stat_statements)
// on the one connection that is kept to the server, between two polls. It fails
// at once when there is no connection: to connect is Collect's business.
func (s *Source) QueryRows(ctx context.Context, sql string, each func(row pgx.CollectableRow) error) error {
	ctx, cancel := context.WithTimeout(ctx, guestTime)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if s.session == nil {
		return errNotConnected
	}
	rows, err := s.session.conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// enter waits for the connection to be free.
func (s *Source) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Source) leave() { <-s.turn }
