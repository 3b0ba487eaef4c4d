package runner

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"stallbook/runbooks"
)

// tooOld is a server that a step does not know.
type tooOld struct{ has, needs int }

func (e tooOld) Error() string {
	return fmt.Sprintf("the server is PostgreSQL %d and the check needs %d or later", e.has, e.needs)
}

// ask runs one statement read-only and returns its rows as text.
func ask(ctx context.Context, dsn, sql string, minVersion int) (a runbooks.Answer, more bool, err error) {
	conn, err := connect(ctx, dsn)
	if err != nil {
		return a, false, err
	}
	defer goodbye(ctx, conn)
	if minVersion > 0 {
		var num int
		if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&num); err != nil {
			return a, false, err
		}
		if num/10000 < minVersion {
			return a, false, tooOld{num / 10000, minVersion}
		}
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return a, false, err
	}
	defer tx.Rollback(ctx)
	rows, err := tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return a, false, err
	}
	defer rows.Close()
	for _, f := range rows.FieldDescriptions() {
		a.Columns = append(a.Columns, f.Name)
	}
	for rows.Next() {
		if len(a.Rows) == maxRows {
			return a, true, nil
		}
		a.Rows = append(a.Rows, cells(rows.RawValues()))
	}
	return a, false, rows.Err()
}

func connect(ctx context.Context, dsn string) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["application_name"] = "stallbook-check"
	cfg.RuntimeParams["default_transaction_read_only"] = "on"
	cfg.RuntimeParams["statement_timeout"] = fmt.Sprint(statementTime.Milliseconds())
	cfg.RuntimeParams["lock_timeout"] = fmt.Sprint(lockTime.Milliseconds())
	cfg.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(wholeTime.Milliseconds())
	return pgx.ConnectConfig(ctx, cfg)
}

func goodbye(ctx context.Context, conn *pgx.Conn) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	conn.Close(bounded)
}

// cells copies a row of the simple protocol, in which every value is text.
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

