package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stallbook/store"
)

const fixture = "../../../runbooks/autovacuum-stall/fixtures/autovacuum-iops-form.jsonl"

func read(t *testing.T, path string) []store.Batch {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, problems, err := Read(File{filepath.Base(path), f})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return list
}

func recording(instance string, seconds ...string) string {
	var b strings.Builder
	for _, s := range seconds {
		b.WriteString(`{"at":"2026-12-01T00:00:` + s + `Z","cluster":"lab","instance":"` + instance + `","values":{"pg.tps":1}}` + "\n")
	}
	return b.String()
}

func TestPlayMergesInTimeOrder(t *testing.T) {
	var got []string
	var problems []string
	err := Play(t.Context(), []File{
		{"a", strings.NewReader(recording("a", "01", "03") + "junk\n" + recording("a", "04"))},
		{"b", strings.NewReader(recording("b", "02", "03", "05"))},
	}, Options{Problem: func(f string, p store.LineProblem) { problems = append(problems, f+" "+p.String()) }}, func(b store.Batch) error {
		got = append(got, b.Instance+b.At.Format("05"))
		return nil
	})
	if err != nil || strings.Join(got, " ") != "a01 b02 a03 b03 a04 b05" {
		t.Errorf("%v, %v", got, err)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "a line 3: ") {
		t.Errorf("problems %q", problems)
	}
}

func TestPlayErrors(t *testing.T) {
	none := func(store.Batch) error { return nil }
	for name, want := range map[string]string{"": "f is empty", "junk\n": "f has no line that can be played"} {
		err := Play(t.Context(), []File{{"f", strings.NewReader(name)}}, Options{}, none)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	stop := errors.New("enough")
	err := Play(t.Context(), []File{{"f", strings.NewReader(recording("a", "01", "02"))}}, Options{}, func(store.Batch) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the sink's error got lost: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Play(ctx, []File{{"f", strings.NewReader(recording("a", "01", "02"))}}, Options{}, none); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context ended with %v", err)
	}
}

func TestPlayAtSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		err := Play(t.Context(), []File{{"f", strings.NewReader(recording("a", "00", "10", "30"))}}, Options{Speed: 10}, func(store.Batch) error {
			at = append(at, time.Since(began))
			return nil
		})
		if err != nil || len(at) != 3 || at[1] != time.Second || at[2] != 3*time.Second {
			t.Errorf("played at %v, %v", at, err)
		}
	})
}

func TestSelfReport(t *testing.T) {
	ok, age := store.MustLookup("source.ok"), store.MustLookup("source.age_s")
	var got [][]store.Sample
	text := recording("a", "00") + `{"at":"2026-12-01T00:00:05Z","cluster":"lab","instance":"a","error":"gone"}` + "\n"
	if err := Play(t.Context(), []File{{"f", strings.NewReader(text)}}, Options{}, func(b store.Batch) error {
		got = append(got, b.Samples[len(b.Samples)-2:])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := [][2]store.Sample{
		{{Signal: ok, Label: "replay", N: 1}, {Signal: age, Label: "replay", N: 0}},
		{{Signal: ok, Label: "replay", N: 0}, {Signal: age, Label: "replay", N: 5000}},
	}
	for i := range want {
		if [2]store.Sample(got[i]) != want[i] {
			t.Errorf("line %d reports %v, want %v", i+1, got[i], want[i])
		}
	}
}

func TestTapeHistoryThenLive(t *testing.T) {
	list := read(t, fixture)
	tape, err := NewTape(list, TapeOptions{Cluster: "orders", Instances: map[string]string{"primary": "orders-1"}, Onset: 70 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		history, play := tape.Start(now)
		if len(history) != 40 {
			t.Errorf("%d batches of history, want the 40 s before the lead", len(history))
		}
		all := history
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		err := play(ctx, func(b store.Batch) {
			if late := time.Since(b.At); late < 0 || late > time.Second {
				t.Fatalf("batch of %v emitted %v late", b.At, late)
			}
			all = append(all, b)
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("play ended with %v", err)
		}
		checkSeconds(t, all, now)
	})
}

// checkSeconds wants one reading of orders-1 in every second, across the seams.
func checkSeconds(t *testing.T, all []store.Batch, now time.Time) {
	t.Helper()
	if all[39].At.After(now) {
		t.Errorf("history ends at %v, which is after the start %v", all[39].At, now)
	}
	if len(all) < 600 {
		t.Fatalf("%d batches in ten minutes", len(all))
	}
	stalls := 0
	for i, b := range all {
		if b.Ref != (store.Ref{Cluster: "orders", Instance: "orders-1"}) {
			t.Fatalf("batch of %v", b.Ref)
		}
		if i > 0 && b.At.Unix() != all[i-1].At.Unix()+1 {
			t.Fatalf("a reading at %v follows one at %v", b.At, all[i-1].At)
		}
		for _, s := range b.Samples {
			if s.Signal.Name() == "pg.vacuum.passes" && s.Label != "" {
				stalls++
			}
		}
	}
	if stalls < 6 {
		t.Errorf("%d vacuum passes in ten minutes: the tape did not start again", stalls)
	}
}

func TestTapeShortLeadStartsAgainFromTheFirstLine(t *testing.T) {
	list := read(t, "../../../runbooks/recovery-prefetch/fixtures/replica-pinned-sync-outage.jsonl")
	tape, err := NewTape(list, TapeOptions{Onset: 31 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if tape.again != 0 || tape.cut != 2 || tape.gap.Round(time.Millisecond) != time.Second {
		t.Errorf("again %d, cut %d, gap %v", tape.again, tape.cut, tape.gap)
	}
	if refs := tape.Refs(); len(refs) != 2 || refs[0].Instance != "primary" {
		t.Errorf("refs %v", refs)
	}
}

func TestTapeAfterSleepLeavesAGap(t *testing.T) {
	list, _, err := Read(File{"f", strings.NewReader(recording("a", "00", "01", "02", "03"))})
	if err != nil {
		t.Fatal(err)
	}
	tape, err := NewTape(list, TapeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, play := tape.Start(time.Now())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour+5*time.Second)
		defer cancel()
		n := 0
		play(ctx, func(b store.Batch) {
			if n++; n == 2 {
				time.Sleep(time.Hour)
			}
			if n > 20 {
				cancel()
			}
			if n > 2 && time.Since(b.At) > 2*time.Second {
				t.Errorf("after the sleep a batch of %v ago was played", time.Since(b.At))
			}
		})
		if n < 5 || n > 12 {
			t.Errorf("%d batches in the 5 s that the tape was awake", n)
		}
	})
}

func TestNewTapeRefuses(t *testing.T) {
	if _, err := NewTape(nil, TapeOptions{}); err == nil {
		t.Error("an empty tape was accepted")
	}
	if _, err := NewTape(read(t, fixture), TapeOptions{Onset: time.Hour}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("an onset after the end: %v", err)
	}
}
