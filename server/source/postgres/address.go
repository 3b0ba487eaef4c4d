package postgres

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// applicationName is how our sessions show in pg_stat_activity.
const applicationName = "stallbook"

// ParseDSN reads a connection string in URL or keyword form; what it leaves out
// comes from PG* variables, the password file and the service file, as with
// psql. Its error never holds any part of the string, since a broken one can't be
// split safely into what may be shown and the password.
func ParseDSN(dsn string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New(parseProblem(err))
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = applicationName
	}
	return cfg, nil
}

func parseProblem(err error) string {
	text := err.Error()
	for _, known := range []struct{ mark, says string }{
		{"(sslmode is invalid", "its sslmode is none of disable, allow, prefer, require, verify-ca, verify-full"},
		{"`: invalid port", "its port is not a number from 1 to 65535 (a / in a password is written %2F)"},
		{"`: failed to read service", "the service it names can't be read from the service file"},
		{"`: unknown target_session_attrs", "its target_session_attrs is not known"},
		{"`: invalid connect_timeout", "its connect_timeout is not a number of seconds"},
		{"`: failed to configure TLS", "a certificate or key file it names can't be read"},
		{"`: invalid min_protocol_version", "its min_protocol_version is not known"},
		{"`: failed to parse as keyword/val", "it is no list of keyword=value pairs; put values with spaces into single quotes"},
	} {
		if strings.Contains(text, known.mark) {
			return "the connection string can't be used: " + known.says
		}
	}
	return "the connection string can't be read: give postgres://user@host:5432/database, with @ : / ? # % in a user or password written as %40 %3A %2F %3F %23 %25, or host=… user=… dbname=…"
}

// address names the server in errors: host:port, or the socket.
func address(cfg *pgx.ConnConfig) string {
	if strings.HasPrefix(cfg.Host, "/") {
		return cfg.Host + "/.s.PGSQL." + strconv.Itoa(int(cfg.Port))
	}
	return net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
}

// sqlState returns the SQLSTATE of an error the server sent, or "". Messages
// come in the server's language; this does not.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// permanent reports whether asking again on the same connection would only fill
// the server's log: a missing object, right or feature.
func permanent(err error) bool {
	code := sqlState(err)
	return strings.HasPrefix(code, "42") || strings.HasPrefix(code, "0A") || strings.HasPrefix(code, "22") || code == "55000"
}

// Explain says in words why a server could not be reached or did not answer,
// and what mends it. The password is in none of its texts.
func Explain(err error, cfg *pgx.ConnConfig) string {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Sentence
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return explainServer(pg, cfg)
	}
	return explainNetwork(err, cfg)
}

func explainServer(pg *pgconn.PgError, cfg *pgx.ConnConfig) string {
	at := address(cfg)
	switch pg.Code {
	case "28P01":
		return fmt.Sprintf("%s refused the password of role %s", at, cfg.User)
	case "28000":
		return fmt.Sprintf("%s does not let role %s in (%s): it needs to exist, with LOGIN, and a line in pg_hba.conf", at, cfg.User, pg.Message)
	case "3D000":
		return fmt.Sprintf("there is no database %q on %s", cfg.Database, at)
	case "42501":
		return fmt.Sprintf("role %s may not connect to database %q on %s: GRANT CONNECT ON DATABASE %s TO %s;", cfg.User, cfg.Database, at, ident(cfg.Database), ident(cfg.User))
	case "53300":
		return fmt.Sprintf("%s has no connection left (%s): every one of its max_connections is taken", at, pg.Message)
	case "57P03":
		return fmt.Sprintf("%s takes no connections now: %s", at, pg.Message)
	case "57P01", "57P02":
		return fmt.Sprintf("%s ended the session: it is being stopped or restarted", at)
	case "57014":
		return fmt.Sprintf("%s did not finish a statement in time (%s)", at, pg.Message)
	case "08P01":
		if strings.Contains(pg.Message, "startup parameter") {
			return poolerSentence(at)
		}
	}
	return fmt.Sprintf("%s answered: %s (SQLSTATE %s)", at, pg.Message, pg.Code)
}

// ident quotes an identifier where SQL needs it.
func ident(name string) string {
	for i, r := range name {
		if !(r == '_' || r >= 'a' && r <= 'z' || i > 0 && r >= '0' && r <= '9') {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return name
}

func poolerSentence(at string) string {
	return "a connection pooler (such as PgBouncer) answers on " + at + ", and a session behind it is not ours alone: give the address and port of PostgreSQL itself"
}
