package sqlite

import (
	"encoding/json"
	"strings"

	"stallbook/store"
)

// saidKey names one thing a source says in words.
type saidKey struct{ kind, name string }

type saidValue struct {
	value string
	atMs  int64
}

// saidRow is a change of it, on its way into the file.
type saidRow struct {
	inst   *instance
	key    saidKey
	source string
	saidValue
}

// The kinds of what is said.
const (
	saidRole    = "role"
	saidFact    = "fact"
	saidError   = "error"
	saidNotes   = "notes"
	saidRestart = "restart"
)

// absorb takes batches into open blocks and one journal row, and returns how
// many came too late for what retention keeps.
func (m *memory) absorb(batches []store.Batch, now int64) (late int64) {
	m.beginRow()
	for i := range batches {
		b := &batches[i]
		in := m.instance(b.Ref)
		m.hear(in, b)
		m.events = append(m.events, ownEvents(b)...)
		if len(b.Samples) == 0 {
			continue
		}
		sec := b.At.Unix()
		if floorDiv(sec, blockSeconds) < m.horizon {
			late++
			continue
		}
		s := m.stream(in, b.Source)
		r := reading{s, sec, micros(b.Elapsed), m.journal.next}
		same := m.resolve(s, b.Samples, sec/daySeconds)
		m.record(s, r, b.Samples, same)
		m.put(r, s.shape, now)
	}
	m.endRow()
	return late
}

func ownEvents(b *store.Batch) []store.Event {
	if len(b.Events) == 0 {
		return nil
	}
	out := make([]store.Event, len(b.Events))
	for i, e := range b.Events {
		out[i] = e
		out[i].Ref = b.Ref
		if e.At.IsZero() {
			out[i].At = b.At
		}
	}
	return out
}

// hear keeps role, facts, errors and notes where they changed.
func (m *memory) hear(in *instance, b *store.Batch) {
	at := b.At.UnixMilli()
	say := func(kind, name, value string) {
		k := saidKey{kind, name}
		old, known := in.said[k]
		if at < old.atMs || old.value == value && (known || value == "") && kind != saidRestart {
			return
		}
		v := saidValue{value, at}
		in.said[k] = v
		m.said = append(m.said, saidRow{in, k, b.Source, v})
	}
	if b.Role != store.RoleUnknown {
		say(saidRole, "", string(b.Role))
	}
	for name, value := range b.Facts {
		say(saidFact, name, value)
	}
	say(saidError, b.Source, b.Err)
	if b.Err == "" {
		say(saidNotes, b.Source, packNotes(b.Notes))
	}
	if b.Restart {
		say(saidRestart, b.Source, "")
	}
}

func packNotes(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	text, err := json.Marshal(notes)
	if err != nil {
		return strings.Join(notes, "\n")
	}
	return string(text)
}

func unpackNotes(s string) []string {
	if s == "" {
		return nil
	}
	var notes []string
	if json.Unmarshal([]byte(s), &notes) != nil {
		return []string{s}
	}
	return notes
}
