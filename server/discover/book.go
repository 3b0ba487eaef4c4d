package discover

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// keepGone is how long an instance that vanished is shown as gone, unless the
// configuration names it: then it is shown until it does not.
const keepGone = 24 * time.Hour

// Book follows the instances of one cluster over time. It is used by one
// goroutine at a time.
type Book struct {
	want  Want
	seen  map[string]Instance
	since map[string]time.Time // when one vanished
}

// NewBook knows the instances that are named, before anything was heard.
func NewBook(w Want) *Book {
	b := &Book{want: w, seen: map[string]Instance{}, since: map[string]time.Time{}}
	for _, id := range w.Instances {
		b.seen[id] = Instance{ID: id}
	}
	return b
}

// List returns what is known, by name.
func (b *Book) List() []Instance {
	out := make([]Instance, 0, len(b.seen))
	for _, in := range b.seen {
		out = append(out, in)
	}
	slices.SortFunc(out, func(x, y Instance) int { return cmp.Compare(x.ID, y.ID) })
	return out
}

// Update takes an answer about all instances of the account and region. Only an
// answer makes an instance gone; a failure to get one changes nothing.
func (b *Book) Update(now time.Time, all []types.DBInstance) []Instance {
	found := map[string]Instance{}
	for _, in := range find(all, b.want) {
		found[in.ID] = in
	}
	for id, old := range b.seen {
		if _, there := found[id]; there {
			continue
		}
		if old.Gone == "" {
			b.since[id] = now
		}
		old.Gone = why(old, all)
		b.seen[id] = old
		if now.Sub(b.since[id]) > keepGone && !slices.Contains(b.want.Instances, id) {
			delete(b.seen, id)
			delete(b.since, id)
		}
	}
	for id, in := range found {
		b.seen[id] = in
		delete(b.since, id)
	}
	return b.List()
}

// why tells a renamed instance from one that was deleted.
func why(old Instance, all []types.DBInstance) string {
	for i := range all {
		if in := describe(&all[i]); in.Resource == old.Resource && old.Resource != "" {
			if in.ID == old.ID {
				return fmt.Sprintf("%s is there and does not belong to this cluster any more", in.ID)
			}
			return fmt.Sprintf("it is called %s now", in.ID)
		}
	}
	return "it was deleted or renamed, or is in another region or account"
}
