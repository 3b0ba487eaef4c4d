package poll

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stallbook/store"
)

// fake is a source made of a function, with its own idea of being connected.
type fake struct {
	collect func(ctx context.Context, n int) store.Batch
	linked  bool
	n       int
	closed  atomic.Bool
}

func (f *fake) Collect(ctx context.Context, _ time.Time) store.Batch {
	f.n++
	return f.collect(ctx, f.n)
}
func (f *fake) Connected() bool { return f.linked }
func (f *fake) Close() error    { f.closed.Store(true); return nil }

func fine(context.Context, int) store.Batch { return store.Batch{} }

// tray collects batches.
type tray struct {
	mu   sync.Mutex
	list []store.Batch
}

func (c *tray) sink(b store.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, b)
}

func (c *tray) of(ref store.Ref) (out []store.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.list {
		if b.Ref == ref {
			out = append(out, b)
		}
	}
	return out
}

func value(b store.Batch, name string) (float64, bool) {
	for _, s := range b.Samples {
		if s.Signal.Name() == name && s.Label == b.Source {
			return s.Value(0)
		}
	}
	return 0, false
}

var ref = store.Ref{Cluster: "orders", Instance: "orders-1"}

// runFor runs one source for a while in a synctest bubble and returns its batches.
func runFor(t *testing.T, src Source, every, d time.Duration) []store.Batch {
	t.Helper()
	var c tray
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	g := NewGroup(ctx, c.sink, nil)
	if err := g.Add(ref, "s", src, every); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	g.Wait()
	return c.list
}

func TestTicksStayOnTheGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &fake{collect: func(context.Context, int) store.Batch {
			time.Sleep(300 * time.Millisecond)
			return store.Batch{}
		}}
		got := runFor(t, src, time.Second, time.Minute)
		if len(got) != 60 && len(got) != 59 {
			t.Fatalf("%d batches in a minute", len(got))
		}
		phase := got[0].At.Nanosecond()
		if phase < 50e6 || phase > 550e6 {
			t.Errorf("phase %v", time.Duration(phase))
		}
		for i, b := range got {
			if b.Ref != ref || b.Source != "s" || b.At.Nanosecond() != phase || b.At.Sub(got[0].At) != time.Duration(i)*time.Second {
				t.Fatalf("batch %d: %v %s at %v", i, b.Ref, b.Source, b.At)
			}
			ok, _ := value(b, "source.ok")
			took, _ := value(b, "source.poll_ms")
			if age, known := value(b, "source.age_s"); ok != 1 || took != 300 || !known || age != 0 {
				t.Fatalf("reports ok %v, poll_ms %v, age %v %v", ok, took, age, known)
			}
		}
		if !src.closed.Load() {
			t.Error("the source was not closed")
		}
	})
}

func TestDeadlineIsShorterThanTheTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &fake{linked: true, collect: func(ctx context.Context, n int) store.Batch {
			began := time.Now()
			<-ctx.Done()
			return store.Batch{Err: fmt.Sprintf("no answer in %v", time.Since(began))}
		}}
		got := runFor(t, src, time.Second, 10*time.Second)
		if len(got) < 9 {
			t.Fatalf("%d batches: a slow but connected source must be asked at every tick", len(got))
		}
		for _, b := range got {
			if b.Err != "no answer in 900ms" {
				t.Fatalf("error %q", b.Err)
			}
			if _, known := value(b, "source.age_s"); known {
				t.Fatal("a source that never answered has no age")
			}
		}
	})
}

func TestHangingSourceIsReportedAndNotPiledUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		most := 0
		src := &fake{collect: func(_ context.Context, n int) store.Batch {
			if n == 3 {
				time.Sleep(20*time.Second + 500*time.Millisecond) // without looking at its context
			}
			return store.Batch{Facts: map[string]string{"call": fmt.Sprint(n)}}
		}}
		var c tray
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		g := NewGroup(ctx, func(b store.Batch) { most = max(most, runtime.NumGoroutine()); c.sink(b) }, nil)
		if err := g.Add(ref, "s", src, time.Second); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		g.Wait()
		if most > before+4 {
			t.Errorf("%d goroutines while it hung, %d before", most, before)
		}
		waiting := 0
		for i, b := range c.list {
			if i > 0 && !b.At.After(c.list[i-1].At) {
				t.Errorf("batch at %v after one at %v", b.At, c.list[i-1].At)
			}
			if strings.HasPrefix(b.Err, "still waiting for the reading begun at 00:00:0") {
				waiting++
				if age, _ := value(b, "source.age_s"); age != float64(waiting+1) {
					t.Errorf("age %v after %d skipped ticks", age, waiting)
				}
				if took, _ := value(b, "source.poll_ms"); took != float64(waiting)*1000 {
					t.Errorf("poll_ms %v after %d skipped ticks", took, waiting)
				}
			}
			if b.Facts["call"] == "3" {
				t.Error("a reading that came 20 s late was handed on")
			}
		}
		if last := c.list[len(c.list)-1]; waiting != 20 || last.Err != "" {
			t.Errorf("%d ticks reported as waiting, want 20; the last batch says %q", waiting, last.Err)
		}
	})
}

func TestWaitDoesNotHangWithTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &fake{collect: func(context.Context, int) store.Batch {
			time.Sleep(time.Hour)
			return store.Batch{}
		}}
		began := time.Now()
		got := runFor(t, src, time.Second, 5*time.Second)
		if d := time.Since(began); d != 5*time.Second || len(got) == 0 {
			t.Errorf("ended after %v with %d batches", d, len(got))
		}
		if src.closed.Load() {
			t.Error("closed while Collect runs")
		}
		time.Sleep(2 * time.Hour)
		if !src.closed.Load() {
			t.Error("not closed after Collect returned")
		}
	})
}

func TestPanicBecomesAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tray
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		g := NewGroup(ctx, c.sink, slog.New(slog.NewTextHandler(&out, nil)))
		src := &fake{collect: func(_ context.Context, n int) store.Batch {
			if n == 1 {
				var list []int
				_ = list[n]
			}
			return store.Batch{}
		}}
		if err := g.Add(ref, "s", src, time.Second); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		g.Wait()
		if !strings.Contains(c.list[0].Err, "index out of range") || c.list[1].Err != "" {
			t.Errorf("batches say %q, then %q", c.list[0].Err, c.list[1].Err)
		}
		if !strings.Contains(out.String(), "poll_test.go") {
			t.Errorf("the log lacks the stack: %s", out.String())
		}
	})
}

func TestBackoffOnlyWithoutConnection(t *testing.T) {
	for _, linked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var tries []time.Duration
			began := time.Now()
			src := &fake{linked: linked, collect: func(context.Context, int) store.Batch {
				tries = append(tries, time.Since(began))
				return store.Batch{Err: "connection refused"}
			}}
			got := runFor(t, src, time.Second, 5*time.Minute)
			if len(got) < 299 {
				t.Errorf("%d batches in 300 s: every tick must report", len(got))
			}
			if linked {
				if len(tries) < 299 {
					t.Errorf("a connected source was tried %d times in 300 s", len(tries))
				}
				return
			}
			if tries[3]-tries[0] != 3*time.Second {
				t.Errorf("first tries at %v", tries[:4])
			}
			last := tries[len(tries)-1] - tries[len(tries)-2]
			if last < 24*time.Second || last > 31*time.Second || len(tries) > 20 {
				t.Errorf("%d tries in 300 s, the last after %v", len(tries), last)
			}
			waiting := got[len(got)-2]
			if _, polled := value(waiting, "source.poll_ms"); polled || !strings.Contains(waiting.Err, "connection refused; next try in ") {
				t.Errorf("a tick between tries says %q, polled %v", waiting.Err, polled)
			}
		})
	}
}

func TestRecoveryResetsTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &fake{collect: func(_ context.Context, n int) store.Batch {
			if n < 8 {
				return store.Batch{Err: "connection refused"}
			}
			return store.Batch{}
		}}
		got := runFor(t, src, time.Second, 3*time.Minute)
		bad := 0
		for _, b := range got {
			if b.Err != "" {
				bad++
			}
		}
		if bad > 70 || got[len(got)-1].Err != "" {
			t.Errorf("%d bad ticks, the last says %q", bad, got[len(got)-1].Err)
		}
	})
}

func TestAddAndRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tray
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := NewGroup(ctx, c.sink, nil)
		other := store.Ref{Cluster: "orders", Instance: "orders-2"}
		err := errors.Join(
			g.Add(ref, "postgres", &fake{collect: fine}, time.Second),
			g.Add(ref, "rds", &fake{collect: fine}, 15*time.Second),
			g.Add(other, "postgres", &fake{collect: fine}, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if g.Add(ref, "postgres", &fake{collect: fine}, time.Second) == nil {
			t.Error("the same source was added twice")
		}
		if g.Add(ref, "x", &fake{collect: fine}, 0) == nil {
			t.Error("an interval of 0 was accepted")
		}
		time.Sleep(30 * time.Second)
		g.Remove(ref)
		n := len(c.of(ref))
		if n != 32 {
			t.Errorf("%d batches in 30 s of a source of 1 s and one of 15 s", n)
		}
		g.RemoveSource(other, "rds")
		time.Sleep(10 * time.Second)
		if len(c.of(ref)) != n || len(c.of(other)) != 40 {
			t.Errorf("after removal: %d and %d batches", len(c.of(ref)), len(c.of(other)))
		}
		if err := g.Add(ref, "postgres", &fake{collect: fine}, time.Second); err != nil {
			t.Errorf("added again: %v", err)
		}
		if s := g.Stats(); s.Ticks != 72 || s.Missed != 0 || s.Max != 0 {
			t.Errorf("stats %+v", s)
		}
		cancel()
		g.Wait()
	})
}

func TestGrid(t *testing.T) {
	seen := map[time.Duration]bool{}
	for i := range 50 {
		g := newGrid(store.Ref{Cluster: "c", Instance: fmt.Sprint("i", i)}, time.Second)
		if g.phase < 50*time.Millisecond || g.phase > 550*time.Millisecond {
			t.Errorf("phase %v", g.phase)
		}
		seen[g.phase/(50*time.Millisecond)] = true
	}
	if len(seen) < 8 {
		t.Errorf("50 instances fall into %d of ten slots", len(seen))
	}
	g := grid{10 * time.Second, 3250 * time.Millisecond}
	at := func(s float64) time.Time { return time.Unix(1e9, int64(s*1e9)).UTC() }
	for _, c := range []struct{ now, last, want float64 }{
		{0, -100, 3.25},
		{3.25, 3.25, 13.25},
		{3.249, 3.25, 13.25}, // the timer fired early
		{47, 3.25, 53.25},    // asleep
		{4, 5003.25, 13.25},  // the clock was set back
	} {
		if got := g.next(at(c.now), at(c.last)); !got.Equal(at(c.want)) {
			t.Errorf("next(%v, %v) = %v, want %v", c.now, c.last, got, at(c.want))
		}
	}
}
