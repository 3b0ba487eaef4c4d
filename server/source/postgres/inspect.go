package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

// Report is one look at a server: what it is, and what our role can't see there.
type Report struct {
	Address   string      `json:"address"`
	Problem   string      `json:"problem,omitempty"` // why it can't be monitored; the rest is then empty
	Product   string      `json:"product,omitempty"`
	Version   string      `json:"version,omitempty"`
	Platform  string      `json:"platform,omitempty"` // plain, rds, aurora, cnpg, ...
	Role      store.Role  `json:"role,omitempty"`     // primary or standby
	User      string      `json:"user,omitempty"`
	Database  string      `json:"database,omitempty"`
	System    string      `json:"system_identifier,omitempty"`
	StartedAt time.Time   `json:"started_at,omitzero"`
	PollMs    float64     `json:"poll_ms"` // one round trip of the fast loop
	Missing   []Missing   `json:"missing"`
	Notes     []string    `json:"notes"`
	Extension []Extension `json:"extensions"`
}

// Missing is something that can't be seen, and what mends it.
type Missing struct {
	What string `json:"what"`
	Mend string `json:"mend"` // a statement or a setting
	// Optional: nothing that is watched is hidden without it.
	Optional bool `json:"optional"`
}

// Extension is one the runbooks use.
type Extension struct {
	Name      string `json:"name" db:"name"`
	Installed string `json:"installed" db:"installed"` // version in this database, "" when not created
	Available string `json:"available" db:"available"`
}

// Inspect connects once, reads once and says what it found. It never fails: a
// server that can't be reached is a Report with a Problem.
func Inspect(ctx context.Context, dsn string) Report {
	cfg, err := ParseDSN(dsn)
	if err != nil {
		return Report{Problem: err.Error()}
	}
	r := Report{Address: address(cfg), User: cfg.User, Database: cfg.Database, Missing: []Missing{}, Notes: []string{}, Extension: []Extension{}}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := dial(ctx, cfg)
	if err != nil {
		r.Problem = Explain(err, cfg)
		return r
	}
	defer s.close()
	if err := r.fill(ctx, s); err != nil {
		r.Problem = Explain(err, cfg)
	}
	return r
}

func (r *Report) fill(ctx context.Context, s *session) error {
	src := &Source{cfg: s.conn.Config(), session: s, vacuums: newVacuumBook(), slow: newSlowLoop(nil, 0)}
	cur, err := src.read(ctx)
	if err != nil {
		return err
	}
	r.Product, r.Version, r.Platform = s.identity.Product, s.identity.Version, s.caps.Platform
	r.Role, r.System, r.StartedAt = s.role, s.system, cur.instance.Started.UTC()
	r.User, r.Database = s.caps.Rights.Role, s.caps.Rights.Database
	r.PollMs = float64(cur.took.Microseconds()) / 1000
	r.Missing = append(r.Missing, missingRights(s.caps)...)
	if s.identity.Note != "" {
		r.Notes = append(r.Notes, s.identity.Note)
	}
	for name, why := range s.off {
		r.Notes = append(r.Notes, fmt.Sprintf("%s can't be read on this server: %s", name, why))
	}
	found, err := ask(ctx, s, "connect/extensions", pgx.RowToStructByName[Extension])
	if err := tolerate(err); err != nil {
		return err
	}
	r.Extension = append(r.Extension, found...)
	r.Missing = append(r.Missing, missingExtensions(found, r.Database, s.role)...)
	return nil
}

func missingRights(c capabilities) []Missing {
	if c.Rights.AllStats && (c.Rights.WALDir || !c.WAL) {
		return nil
	}
	grant := "GRANT pg_monitor TO " + ident(c.Rights.Role) + ";"
	var list []Missing
	if !c.Rights.AllStats {
		for _, what := range []string{
			"what other sessions wait for (pg_stat_activity)",
			"vacuums in progress (pg_stat_progress_vacuum)",
			"which standbys stream (pg_stat_replication)",
			"query texts (pg_stat_statements)",
		} {
			list = append(list, Missing{What: what, Mend: grant})
		}
	}
	if !c.Rights.WALDir && c.WAL {
		list = append(list, Missing{What: "recycled WAL segments (pg_ls_waldir)", Mend: grant})
	}
	return list
}

func missingExtensions(found []Extension, database string, role store.Role) []Missing {
	uses := map[string]string{
		"pg_stat_statements": "request latency estimated from statements",
		"pg_prewarm":         "hydration of a restored volume",
	}
	where := ""
	if role == store.RoleStandby {
		where = " -- on the primary"
	}
	var list []Missing
	for _, name := range []string{"pg_stat_statements", "pg_prewarm"} {
		mend := fmt.Sprintf("install the server's contrib package, then CREATE EXTENSION %s;%s", name, where)
		for _, e := range found {
			if e.Name == name {
				mend = fmt.Sprintf("CREATE EXTENSION %s; -- in database %s%s", name, database, where)
				if e.Installed != "" {
					mend = ""
				}
			}
		}
		if mend != "" {
			list = append(list, Missing{What: uses[name] + " (extension " + name + ")", Mend: mend, Optional: true})
		}
	}
	return list
}
