package postgres

import (
	"fmt"
	"maps"
	"slices"
)

// notes says what can't be seen though the server answers, and what mends it.
func (s *Source) notes(cur *reading) []string {
	var notes []string
	c := s.session.caps
	if s.session.identity.Note != "" {
		notes = append(notes, s.session.identity.Note)
	}
	if n := hiddenFrom(c); n != "" {
		notes = append(notes, n)
	}
	if c.Platform == "aurora" {
		notes = append(notes, "WAL positions, replay and recycled segments are not available on Aurora: its storage has no WAL files")
	}
	for _, name := range slices.Sorted(maps.Keys(s.session.off)) {
		notes = append(notes, fmt.Sprintf("%s can't be read on this server: %s", name, s.session.off[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(cur.failed)) {
		if s.session.off[name] == "" {
			notes = append(notes, fmt.Sprintf("%s was not answered in this second: %s", name, cur.failed[name]))
		}
	}
	notes = append(notes, s.slow.skipped...)
	for _, name := range slices.Sorted(maps.Keys(s.slow.troubles)) {
		notes = append(notes, s.slow.troubles[name].says)
	}
	return notes
}

// hiddenFrom is the sentence about a role without pg_monitor, or "".
func hiddenFrom(c capabilities) string {
	switch {
	case !c.Rights.AllStats:
		return fmt.Sprintf("sessions and their waits, running vacuums, standbys and the WAL folder are hidden from role %s: GRANT pg_monitor TO %s;", c.Rights.Role, ident(c.Rights.Role))
	case !c.Rights.WALDir && c.WAL:
		return fmt.Sprintf("the WAL folder is hidden from role %s, so that its recycled segments can't be counted: GRANT pg_monitor TO %s;", c.Rights.Role, ident(c.Rights.Role))
	}
	return ""
}
