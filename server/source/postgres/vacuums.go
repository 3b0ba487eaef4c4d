package postgres

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"stallbook/store"
)

// How long an autovacuum count may take to follow the row that vanished: soon
// for our own database, where it is asked each second, a round of the slow loop
// for another.
const (
	ownCountLag   = 10 * time.Second
	otherCountLag = 10 * time.Minute
)

// vacuumBook follows vacuums from poll to poll.
type vacuumBook struct {
	asked askedTables
	own   *passBook
	other *passBook
	names map[int64]string // labels of our own database's tables, by oid
	late  map[string]int64 // passes learnt from the slow loop, told with the next poll
}

func newVacuumBook() vacuumBook {
	return vacuumBook{own: newPassBook(), other: newPassBook(), names: map[int64]string{}, late: map[string]int64{}}
}

// learn takes the pass counts of the slow loop.
func (v *vacuumBook) learn(own bool, tables []tableRow, at time.Time) {
	book := v.other
	if own {
		book = v.own
		v.asked.largest = largestInsertOnly(tables, 5)
	}
	for _, t := range tables {
		if own {
			v.names[t.OID] = t.label
		}
		if n := book.count(t.label, t.Passes, at); n > 0 {
			v.late[t.label] += n
		}
	}
}

// emit gives pg.vacuum.running and pg.vacuum.passes.
func (v *vacuumBook) emit(e *emitter, slow *slowLoop, database string) {
	if !e.cur.asked {
		return // hidden from this role, or not answered: unknown
	}
	var own, other []run
	running := map[string]int64{}
	for _, row := range e.cur.vacuums {
		label := v.label(row, slow)
		if row.Auto { // the pages of the runbooks speak of the worker, not of somebody's own VACUUM
			running[label] = 1
		}
		r := run{row.PID, row.OID, label}
		mine := row.Database == database
		if mine {
			v.names[row.OID] = label
			v.asked.saw(row.OID, e.cur.at)
		}
		switch {
		case !row.Auto: // somebody's own VACUUM is no autovacuum pass
		case mine:
			own = append(own, r)
		default:
			other = append(other, r)
		}
	}
	labelled(e, sigVacuum, running)
	ended := v.own.progress(own, e.cur.at, ownCountLag)
	for label, n := range v.other.progress(other, e.cur.at, otherCountLag) {
		ended[label] += n
	}
	for _, p := range e.cur.passes {
		if label := v.names[p.OID]; label != "" {
			ended[label] += v.own.count(label, p.Count, e.cur.at)
		}
	}
	for label, n := range v.late {
		ended[label] += n
	}
	clear(v.late)
	if e.prev != nil {
		labelled(e, sigPasses, ended)
	}
}

// label names the table of a running vacuum. In another database only its oid
// is known: the slow loop may have seen it, else the worker's query text tells.
func (v *vacuumBook) label(row vacuumRow, slow *slowLoop) string {
	if row.Name != nil {
		return slow.label(row.Database, *row.Name)
	}
	if name := slow.nameOf(row.Database, row.OID); name != "" {
		return slow.label(row.Database, name)
	}
	if name := nameFromQuery(row.Query); name != "" {
		return slow.label(row.Database, name)
	}
	return slow.label(row.Database, fmt.Sprintf("oid %d", row.OID))
}

var autovacuumQuery = regexp.MustCompile(`(?s)^autovacuum: VACUUM(?: ANALYZE)? (.+?)(?: \(to prevent wraparound\))?$`)

// nameFromQuery reads schema.table from an autovacuum worker's query. The text
// is not quoted there: a dot within a name leaves it as it stands.
func nameFromQuery(query string) string {
	m := autovacuumQuery.FindStringSubmatch(query)
	if m == nil {
		return ""
	}
	if parts := strings.Split(m[1], "."); len(parts) == 2 {
		return ident(parts[0]) + "." + ident(parts[1])
	}
	return m[1]
}

// labelled emits a labelled signal: always the sample without a label, which
// says that it was read, then one for each label.
func labelled(e *emitter, id store.SignalID, values map[string]int64) {
	e.gauge(id, 0)
	for _, label := range slices.Sorted(maps.Keys(values)) {
		if n := values[label]; n > 0 {
			e.b.Samples = append(e.b.Samples, store.Sample{Signal: id, Label: label, N: n})
		}
	}
}
