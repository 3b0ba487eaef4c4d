package postgres

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// askedLimit bounds the tables whose pass counters are asked each second.
const askedLimit = 32

// askedTables are the tables whose autovacuum count the fast loop asks: those
// seen in progress and the largest insert-only ones. A pass learnt from the
// slow loop would come after its stall.
type askedTables struct {
	seen    map[int64]time.Time // in progress in the last quarter of an hour
	largest []int64             // from the slow loop
}

func (t *askedTables) saw(oid int64, at time.Time) {
	if t.seen == nil {
		t.seen = map[int64]time.Time{}
	}
	t.seen[oid] = at
	maps.DeleteFunc(t.seen, func(_ int64, last time.Time) bool { return at.Sub(last) > 15*time.Minute })
}

// arg is the list as the text of an oid[]; nil when there is none.
func (t *askedTables) arg() [][]byte {
	oids := slices.Clone(t.largest)
	newest := slices.SortedFunc(maps.Keys(t.seen), func(a, b int64) int { return t.seen[b].Compare(t.seen[a]) })
	for _, oid := range newest {
		if len(oids) < askedLimit && !slices.Contains(oids, oid) {
			oids = append(oids, oid)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	texts := make([]string, len(oids))
	for i, oid := range oids {
		texts[i] = strconv.FormatInt(oid, 10)
	}
	return [][]byte{[]byte("{" + strings.Join(texts, ",") + "}")}
}

// passBook turns two witnesses of one event into one: an autovacuum pass ends
// when its row leaves pg_stat_progress_vacuum, and its table's count rises a
// little before or, where statistics travel slowly, some seconds after.
type passBook struct {
	running map[run]string    // label of each run in progress at the last poll
	counted map[run]bool      // runs whose pass was already told by the count
	counts  map[string]int64  // last autovacuum_count by label
	credit  map[string]credit // passes told by a vanished row, whose count has not risen yet
}

// run is one worker on one table.
type run struct {
	pid   int32
	oid   int64
	label string
}

type credit struct {
	n     int64
	until time.Time
}

func newPassBook() *passBook {
	return &passBook{running: map[run]string{}, counted: map[run]bool{}, counts: map[string]int64{}, credit: map[string]credit{}}
}

// progress takes the runs of this poll and returns the passes that ended. lag
// is how long the count may take to follow.
func (b *passBook) progress(now []run, at time.Time, lag time.Duration) map[string]int64 {
	ended := map[string]int64{}
	for r, label := range b.running {
		if slices.Contains(now, r) {
			continue
		}
		if !b.counted[r] {
			ended[label]++
			b.credit[label] = credit{b.credit[label].n + 1, at.Add(lag)}
		}
		delete(b.running, r)
		delete(b.counted, r)
	}
	for _, r := range now {
		b.running[r] = r.label
	}
	return ended
}

// count takes a table's autovacuum_count and returns how many passes it tells
// that no vanished row has told.
func (b *passBook) count(label string, n int64, at time.Time) int64 {
	old, known := b.counts[label]
	b.counts[label] = n
	rise := n - old
	if !known || rise <= 0 { // first sight, or statistics were reset
		return 0
	}
	if c := b.credit[label]; c.n > 0 {
		if at.Before(c.until) {
			used := min(c.n, rise)
			rise -= used
			c.n -= used
			b.credit[label] = c
		} else {
			delete(b.credit, label)
		}
	}
	told := rise
	for r, l := range b.running {
		if l == label && rise > 0 && !b.counted[r] {
			b.counted[r] = true
			rise--
		}
	}
	return told
}
