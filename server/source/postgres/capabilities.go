package postgres

import "slices"

// capabilities is what one connection may use. It is asked once a connection,
// from the server's own catalog, so that no statement fails each second in
// somebody's log.
type capabilities struct {
	Columns  map[string][]string // by view, from pg_attribute
	WAL      bool                // WAL positions can be read (not on Aurora)
	Platform string
	Rights   rights
}

// rights is who we are and what we may see.
type rights struct {
	Role     string `db:"role"`
	Database string `db:"database"`
	Block    int64  `db:"block"`     // bytes of a page
	AllStats bool   `db:"all_stats"` // other roles' sessions are visible
	Monitor  bool   `db:"monitor"`
	WALDir   bool   `db:"waldir"`
}

func (c capabilities) has(view, column string) bool {
	return slices.Contains(c.Columns[view], column)
}
