package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"stallbook/runbooks"
)

// tooOld is a server that a step does not know.
type tooOld struct{ has, needs int }

func (e tooOld) Error() string {
	return fmt.Sprintf("the server is PostgreSQL %d and the check needs %d or later", e.has, e.needs)
}

// notInstalled is an extension that a step needs and the database lacks.
type notInstalled struct{ extension, database string }

func (e notInstalled) Error() string {
	return fmt.Sprintf("the extension %s is not installed in the database %s; run there, on the primary: CREATE EXTENSION %s",
		e.extension, e.database, runbooks.QuoteIdent(e.extension))
}

// config reads a DSN. The deadlines of the session are not start-up parameters:
// poolers refuse those.
func config(dsn string, vars runbooks.Vars) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errBadDSN
	}
	cfg.RuntimeParams["application_name"] = "stallbook-check"
	if db := vars["database"]; db != "" {
		cfg.Database = db
	}
	cfg.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(r, w)
		f.SetMaxBodyLen(maxMessage)
		return f
	}
	return cfg, nil
}

// errBadDSN replaces the parser's error, which quotes the DSN.
var errBadDSN = errors.New("the connection string can't be read")

// ask runs one statement in a read-only transaction on a connection of its own
// and returns its rows as text. more is true when rows were left out.
func ask(ctx context.Context, cfg *pgx.ConnConfig, step runbooks.Step, sql string, vars runbooks.Vars) (a runbooks.Answer, more bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return a, false, err
	}
	defer goodbye(ctx, conn)
	if has := major(conn.PgConn()); has != 0 && has < step.MinVersion {
		return a, false, tooOld{has, step.MinVersion}
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return a, false, err
	}
	if err := prepare(ctx, tx, step, cfg.Database, vars); err != nil {
		return a, false, err
	}
	return read(conn.PgConn().ExecParams(ctx, sql, nil, nil, nil, nil), cancel)
}

// major is the server's major version, 0 when it gives none that can be read.
func major(conn *pgconn.PgConn) int {
	text := conn.ParameterStatus("server_version")
	if end := strings.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' }); end >= 0 {
		text = text[:end]
	}
	n, _ := strconv.Atoi(text)
	return n
}

// prepare sets the deadlines, the table that is asked about and the path.
func prepare(ctx context.Context, tx pgx.Tx, step runbooks.Step, database string, vars runbooks.Vars) error {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	_, err := tx.Exec(ctx, sessionSQL, pgx.QueryExecModeExec,
		ms(statementTime), ms(lockTime), ms(wholeTime), vars["schema"], vars["table"])
	if err != nil || step.Extension == "" {
		return err
	}
	tag, err := tx.Exec(ctx, extensionSQL, pgx.QueryExecModeExec, step.Extension)
	if err == nil && tag.RowsAffected() == 0 {
		return notInstalled{step.Extension, database}
	}
	return err
}

// read takes at most maxRows rows; stop ends the connection, so that the rest
// of a long answer is not waited for.
func read(rr *pgconn.ResultReader, stop func()) (a runbooks.Answer, more bool, err error) {
	for rr.NextRow() {
		if a.Columns == nil {
			a.Columns = columns(rr)
		}
		if len(a.Rows) == maxRows {
			stop()
			rr.Close()
			return a, true, nil
		}
		a.Rows = append(a.Rows, cells(rr.Values()))
	}
	if a.Columns == nil {
		a.Columns = columns(rr)
	}
	_, err = rr.Close()
	return a, false, err
}

func columns(rr *pgconn.ResultReader) []string {
	names := make([]string, 0, len(rr.FieldDescriptions()))
	for _, f := range rr.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names
}

func goodbye(ctx context.Context, conn *pgx.Conn) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	conn.Close(bounded)
}

// cells copies a row, in which every value is text.
func cells(raw [][]byte) []*string {
	out := make([]*string, len(raw))
	for i, b := range raw {
		if b == nil {
			continue
		}
		s := string(b)
		if len(s) > maxCell {
			cut := maxCell
			for cut > 0 && !utf8.RuneStart(s[cut]) {
				cut--
			}
			s = s[:cut] + "…"
		}
		out[i] = &s
	}
	return out
}
