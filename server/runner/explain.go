package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"stallbook/runbooks"
	"stallbook/store"
)

// byState says what stands in the way and what to do, by SQLSTATE.
var byState = map[string]string{
	"42883": "this server does not have it, or not in this version",
	"42P01": "this server does not have it, or not in this version",
	"42703": "this version of PostgreSQL does not have it",
	"57014": "it took longer than 5 s and was stopped; nothing was changed",
	"55P03": "it would have waited for a lock that someone holds; try again in a moment",
	"25006": "the statement would write, and a check may only read",
	"53300": "the server has no connection left, which is worth knowing in itself",
	"28P01": "the server refused the password",
	"28000": "the server refused the role; see pg_hba.conf and whether the role may log in",
	"3D000": "the database does not exist there",
	"57P03": "the server is starting up or shutting down",
	"57P01": "the server ended the connection: an administrator, or a shutdown",
	"0A000": "this platform does not offer it",
	"55000": "the server is not in the state for it, most often a standby asked what only a primary knows",
	"42601": "its statement is not one that this server can read",
}

// quotable are the states whose message names an object and no value: it may be
// shown. Others can quote data.
var quotable = map[string]bool{"42501": true, "42883": true, "42P01": true, "42703": true, "55000": true, "0A000": true}

// explain puts a failed check into sentences without SQL and without secrets:
// what, on which server, and how to mend it.
func explain(err error, step runbooks.Step, target store.Ref, as login) string {
	says := fmt.Sprintf("Not known, %s: %s.", target.Instance, cause(err, as))
	if len(step.Needs) > 0 {
		says += " It needs: " + strings.TrimSuffix(strings.Join(step.Needs, " "), ".") + "."
	}
	return says
}

// login is who asked, and where.
type login struct{ role, database string }

func cause(err error, as login) string {
	var pg *pgconn.PgError
	var old tooOld
	var absent notInstalled
	var dns *net.DNSError
	switch {
	case errors.As(err, &old):
		return old.Error()
	case errors.As(err, &absent):
		return absent.Error()
	case errors.As(err, &pg):
		return refusal(pg, as)
	case errors.Is(err, errBadDSN):
		return errBadDSN.Error() + "; check `postgres:` of this instance in the configuration"
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer within %s; the server hangs or the network drops packets", wholeTime)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused: no server listens there"
	case errors.As(err, &dns):
		return "its host name is not known to this machine's resolver"
	case errors.As(err, new(*pgconn.ConnectError)):
		return "the server could not be reached; the source `postgres` of this instance says more"
	}
	return "the connection broke or the answer was too large"
}

// refusal is what the server itself said.
func refusal(pg *pgconn.PgError, as login) string {
	why, known := byState[pg.Code]
	if pg.Code == "42501" {
		why, known = fmt.Sprintf("run as a superuser: GRANT %s TO %s", grant(pg.Message, as.database), runbooks.QuoteIdent(as.role)), true
	}
	switch {
	case !known:
		return "the server answered with error " + pg.Code
	case quotable[pg.Code]:
		return pg.Message + "; " + why
	}
	return why
}

// grant is what gives the right. The server's own views and functions are one
// thing, people's tables another (14 and later), and the database itself a third.
func grant(message, database string) string {
	if strings.HasPrefix(message, "permission denied for database ") {
		return "CONNECT ON DATABASE " + runbooks.QuoteIdent(database)
	}
	for _, kind := range []string{"table", "view", "materialized view", "relation", "schema", "sequence", "foreign table"} {
		if strings.HasPrefix(message, "permission denied for "+kind+" ") && !strings.Contains(message, " pg_") {
			return "pg_read_all_data"
		}
	}
	return "pg_monitor"
}

// sentence is the part of an error that is meant for a person.
func sentence(err error) string {
	if p, ok := errors.AsType[*store.Problem](err); ok {
		return p.Message
	}
	return "the server of this instance is not known."
}
