package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"stallbook/runbooks"
	"stallbook/store"
)

// byState says what stands in the way, by SQLSTATE; the step's needs follow.
var byState = map[string]string{
	"42501": "the role may not read this; GRANT pg_monitor to it",
	"42883": "a function that it uses is not there",
	"42P01": "a view or table that it uses is not there",
	"42703": "a column that it uses is not in this version",
	"57014": "it took longer than 5 s and was stopped",
	"55P03": "something holds a lock that it would have waited for; try again in a moment",
	"25006": "the statement would write, and a check may only read",
	"53300": "the server has no connection left",
	"28P01": "the server refused the password",
	"28000": "the server refused the role",
	"3D000": "the database is not there",
	"57P03": "the server is starting up or shutting down",
	"0A000": "this platform does not offer it",
	"55000": "this server is not in a state in which it can answer, or has recovery in progress",
}

// explain puts a failed check into one sentence without SQL and without secrets.
func explain(err error, step runbooks.Step) string {
	var pg *pgconn.PgError
	var old tooOld
	why := "the server did not answer"
	switch {
	case errors.As(err, &old):
		why = old.Error()
	case errors.As(err, &pg):
		why = byState[pg.Code]
		if why == "" {
			why = "the server answered with error " + pg.Code
		}
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf("the server did not answer within %s", wholeTime)
	case errors.As(err, new(*pgconn.ConnectError)):
		why = "the server could not be reached"
	}
	says := "Not known: " + why + "."
	if len(step.Needs) > 0 {
		says += " It needs: " + strings.TrimSuffix(strings.Join(step.Needs, "; "), ".") + "."
	}
	return says
}

// sentence is the part of an error that is meant for a person.
func sentence(err error) string {
	if p, ok := errors.AsType[*store.Problem](err); ok {
		return p.Message
	}
	return "the server of this instance is not known."
}
