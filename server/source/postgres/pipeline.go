package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stallbook/store"
)

// probe is one statement of the fast loop.
type probe struct {
	name string                         // sql/fast/NAME.sql
	on   store.Role                     // the role that has it; RoleUnknown = both
	when func(capabilities) bool        // whether this server can answer it; nil = every server
	args func(*askedTables) [][]byte    // parameters in text form; nil for none
	read func(*reading, pgx.Rows) error // puts the rows into the reading
}

// prepare parses every statement that may be asked on this connection in one
// round trip. What the server does not know is switched off with its reason.
func (s *session) prepare(ctx context.Context) error {
	all := probes()
	texts := make([]string, len(all))
	for i, p := range all {
		text, err := render("fast/"+p.name, s.caps)
		if err != nil {
			return err
		}
		texts[i] = text
	}
	var wanted []*probe
	pipe := s.conn.PgConn().StartPipeline(ctx)
	for i, p := range all {
		if p.when == nil || p.when(s.caps) {
			pipe.SendPrepare(p.name, texts[i], nil)
			pipe.SendPipelineSync()
			wanted = append(wanted, p)
		}
	}
	if err := pipe.Flush(); err != nil {
		return err
	}
	for _, p := range wanted {
		_, err := pipe.GetResults()
		if err != nil && sqlState(err) == "" {
			pipe.Close()
			return err
		}
		if err != nil {
			s.off[p.name] = err.Error()
		} else {
			s.fast = append(s.fast, p)
		}
		if _, err := pipe.GetResults(); err != nil { // the sync
			pipe.Close()
			return err
		}
	}
	return pipe.Close()
}

// run asks every statement that applies in one round trip. Normally they share
// one transaction, so that we add one a second to the server's count; after a
// failure each has its own once, to find out which one it is.
func (s *session) run(ctx context.Context, tables *askedTables, into *reading) error {
	var asked []*probe
	pipe := s.conn.PgConn().StartPipeline(ctx)
	for _, p := range s.fast {
		if s.off[p.name] != "" || p.on != store.RoleUnknown && p.on != s.role {
			continue
		}
		var args [][]byte
		if p.args != nil {
			if args = p.args(tables); args == nil {
				continue
			}
		}
		pipe.SendQueryPrepared(p.name, args, nil, nil)
		if s.isolate {
			pipe.SendPipelineSync()
		}
		asked = append(asked, p)
	}
	if !s.isolate {
		pipe.SendPipelineSync()
	}
	if err := pipe.Flush(); err != nil {
		return err
	}
	err := s.receive(pipe, asked, into)
	if closing := pipe.Close(); err == nil && sqlState(closing) == "" {
		err = closing
	}
	return err
}

// receive reads the answers in order. An error of one statement is kept with
// that statement; only a broken connection is an error here.
func (s *session) receive(pipe *pgconn.Pipeline, asked []*probe, into *reading) error {
	failed := false
	for _, p := range asked {
		err := receiveOne(pipe, p, s.conn, into)
		if err != nil && sqlState(err) == "" {
			return err
		}
		if err != nil {
			failed = true
			into.failed[p.name] = err
			if s.isolate && permanent(err) {
				s.off[p.name] = err.Error()
			}
			if s.conn.IsClosed() {
				return err
			}
			if !s.isolate {
				break // the rest of the transaction was not run
			}
		}
		if s.isolate {
			if _, err := pipe.GetResults(); err != nil {
				return err
			}
		}
	}
	s.isolate = failed && !s.isolate
	return nil
}

func receiveOne(pipe *pgconn.Pipeline, p *probe, conn *pgx.Conn, into *reading) error {
	results, err := pipe.GetResults()
	if err != nil {
		return err
	}
	reader, ok := results.(*pgconn.ResultReader)
	if !ok {
		return errors.New("the server's answers are out of step")
	}
	return p.read(into, pgx.RowsFromResultReader(conn.TypeMap(), reader))
}
