package poll

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stallbook/store"
)

// lagging brings the readings of the last two seconds, which are ten seconds old.
type lagging struct{ fail string }

func (s *lagging) Collect(context.Context, time.Time) store.Batch {
	panic("the loop must not call Collect of a Many")
}

func (s *lagging) CollectMany(_ context.Context, now time.Time) ([]store.Batch, store.Batch) {
	active := store.SampleOf(store.MustLookup("pg.active"), "", 7, 0)
	at := func(ago time.Duration) store.Batch {
		return store.Batch{At: now.Add(-ago), Samples: []store.Sample{active}}
	}
	return []store.Batch{at(11 * time.Second), at(10 * time.Second)}, store.Batch{Newest: now.Add(-10 * time.Second), Err: s.fail}
}

func TestManyReadingsKeepTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := runFor(t, &lagging{}, 2*time.Second, 9*time.Second)
		if len(got) < 12 || len(got)%3 != 0 {
			t.Fatalf("%d batches in 9 s, want three in every two seconds", len(got))
		}
		for i := 0; i < len(got); i += 3 {
			status := got[i+2]
			for k, ago := range []time.Duration{11 * time.Second, 10 * time.Second} {
				b := got[i+k]
				if b.Ref != ref || b.Source != "s" || status.At.Sub(b.At) != ago || len(b.Samples) != 1 {
					t.Errorf("reading %+v, %v before its poll", b, status.At.Sub(b.At))
				}
			}
			if age, ok := value(status, "source.age_s"); !ok || age != 10 {
				t.Errorf("age of the source %v, %v", age, ok)
			}
			if ok, _ := value(status, "source.ok"); ok != 1 {
				t.Errorf("status %+v", status)
			}
			if _, timed := value(status, "source.poll_ms"); timed {
				t.Error("the loop timed a source that times itself")
			}
		}
	})
}

func TestManyReadingsOfAPollThatFailedAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := runFor(t, &lagging{"page 2 did not come"}, 2*time.Second, 5*time.Second)
		if len(got) < 3 || got[0].Err != "" || got[2].Err != "page 2 did not come" {
			t.Fatalf("%d batches: %+v", len(got), got)
		}
		if _, ever := value(got[2], "source.age_s"); ever {
			t.Error("a source that never succeeded has an age")
		}
	})
}
