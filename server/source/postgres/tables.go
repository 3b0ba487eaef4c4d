package postgres

import (
	"context"

	"stallbook/store"
)

// The largest tables are asked; fewer of them become series, since each label
// of each signal costs memory and history.
const (
	tablesAsked = 200
	tablesTold  = 20
	labelBudget = 100
)

// tableRow is one of the largest tables of a database.
type tableRow struct {
	OID      int64    `db:"oid"`
	Name     string   `db:"name"`
	Pages    int64    `db:"pages"` // at the last vacuum or analyze
	Tuples   float64  `db:"tuples"`
	Visible  int64    `db:"visible"`
	Trigger  *float64 `db:"insert_trigger"` // nil: no insert-triggered pass comes
	Inserts  int64    `db:"inserts"`        // since the last vacuum
	Live     int64    `db:"live"`
	Inserted int64    `db:"inserted"`
	Changed  int64    `db:"changed"` // updated and deleted
	Passes   int64    `db:"passes"`

	label string `db:"-"`
}

// pagesNow estimates the table's size now. The true size would cost a lock; the
// size at the last analyze, grown as the row count has, is close for the
// append-only tables this is about.
func (t tableRow) pagesNow() int64 {
	if t.Tuples > 0 && float64(t.Live) > t.Tuples {
		return int64(float64(t.Pages) * float64(t.Live) / t.Tuples)
	}
	return t.Pages
}

// insertOnly: what is written once and kept, up to one correction in a hundred.
func (t tableRow) insertOnly() bool { return t.Inserted > 0 && t.Changed*100 <= t.Inserted }

// largestInsertOnly returns the oids of the first n; tables come largest first.
func largestInsertOnly(tables []tableRow, n int) []int64 {
	var oids []int64
	for _, t := range tables {
		if len(oids) < n && t.insertOnly() {
			oids = append(oids, t.OID)
		}
	}
	return oids
}

func readTables(ctx context.Context, s *Source, b *store.Batch) error {
	if !s.slow.ownToo {
		return nil
	}
	tables, err := askTables(ctx, s.session, tablesAsked)
	if err != nil {
		return err
	}
	s.takeTables(b, s.session.caps.Rights.Database, tables)
	return nil
}

// perDatabase is how many tables of another database are asked for.
func (l *slowLoop) perDatabase() int { return max(5, tablesAsked/(1+len(l.watched))) }

// takeTables emits the largest tables of one database and learns their passes.
func (s *Source) takeTables(b *store.Batch, database string, tables []tableRow) {
	own := s.session.caps.Rights.Database
	for i := range tables {
		tables[i].label = s.slow.label(database, tables[i].Name)
	}
	s.slow.remember(database, tables)
	s.vacuums.learn(database == own, tables, s.prev.at)
	told := min(len(tables), tablesTold, max(1, labelBudget/(1+len(s.slow.watched))))
	add := func(id store.SignalID, label string, n int64) {
		b.Samples = append(b.Samples, store.Sample{Signal: id, Label: label, N: n})
	}
	for _, id := range []store.SignalID{sigTableKiB, sigTableInserts, sigTableTrigger, sigTablePages} {
		add(id, "", 0)
	}
	for _, t := range tables[:told] {
		pages := t.pagesNow()
		add(sigTableKiB, t.label, pages*s.session.caps.Rights.Block/1024)
		add(sigTableInserts, t.label, t.Inserts)
		add(sigTablePages, t.label, max(0, pages-t.Visible))
		if t.Trigger != nil {
			add(sigTableTrigger, t.label, int64(*t.Trigger))
		}
	}
}
