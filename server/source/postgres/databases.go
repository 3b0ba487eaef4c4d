package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

// internalDatabases belong to a service's operator: to knock there is refused
// and fills the customer's log.
var internalDatabases = []string{"rdsadmin", "cloudsqladmin", "azure_maintenance", "azure_sys", "alloydbadmin", "alloydbmetadata"}

// retryDatabase is how long a database that refused is left alone.
const retryDatabase = 5 * time.Minute

type databaseEntry struct {
	Name    string `db:"name"`
	Allowed bool   `db:"allowed"`
	Granted bool   `db:"granted"`
}

// trouble is why a database could not be read, and until when it is left alone.
type trouble struct {
	says  string
	until time.Time
}

// choose picks the other databases to visit from the configured ones, and says
// of each that is left out what would bring it.
func choose(configured []string, found []databaseEntry, own rights) (visit, notes []string) {
	all := slices.Contains(configured, AllDatabases)
	for _, d := range found {
		named := slices.Contains(configured, d.Name)
		switch {
		case d.Name == own.Database, !all && !named:
		case all && !named && slices.Contains(internalDatabases, d.Name):
		case !d.Allowed:
			notes = append(notes, fmt.Sprintf("database %s takes no connections (datallowconn is off)", d.Name))
		case !d.Granted:
			notes = append(notes, fmt.Sprintf("the tables of database %s are hidden: GRANT CONNECT ON DATABASE %s TO %s;", d.Name, ident(d.Name), ident(own.Role)))
		default:
			visit = append(visit, d.Name)
		}
	}
	for _, name := range configured {
		if name != AllDatabases && !slices.ContainsFunc(found, func(d databaseEntry) bool { return d.Name == name }) {
			notes = append(notes, fmt.Sprintf("there is no database %q, which the configuration names", name))
		}
	}
	return visit, notes
}

const databaseTask = "database "

func otherDatabase(taskName string) (name string, ok bool) {
	return strings.CutPrefix(taskName, databaseTask)
}

// visit reads the tables of one other database over a short connection of its
// own. Its failure concerns that database alone.
func (l *slowLoop) visit(ctx context.Context, s *Source, b *store.Batch, name string) error {
	if t, bad := l.troubles[name]; bad && time.Now().Before(t.until) {
		return nil
	}
	cfg := s.cfg.Copy()
	cfg.Database = name
	cfg, err := s.login(ctx, cfg)
	if err != nil {
		return err
	}
	tables, err := visitTables(ctx, cfg, s.session.caps, l.perDatabase())
	if err != nil {
		l.troubles[name] = trouble{fmt.Sprintf("database %s: %s", name, Explain(err, cfg)), time.Now().Add(retryDatabase)}
		return nil
	}
	delete(l.troubles, name)
	s.takeTables(b, name, tables)
	return nil
}

func visitTables(ctx context.Context, cfg *pgx.ConnConfig, caps capabilities, limit int) ([]tableRow, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	guest := &session{conn: conn, base: context.WithoutCancel(ctx), caps: caps}
	defer guest.close()
	if err := guest.harmless(ctx); err != nil {
		return nil, err
	}
	return askTables(ctx, guest, limit)
}

func askTables(ctx context.Context, s *session, limit int) ([]tableRow, error) {
	return ask(ctx, s, "slow/tables", pgx.RowToStructByName[tableRow], int32(limit))
}
