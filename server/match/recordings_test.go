package match

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

func library(t testing.TB) []*signature.Signature {
	files, err := filepath.Glob("../../runbooks/*/signature.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no signatures found", err)
	}
	var out []*signature.Signature
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s, err := signature.Compile(f, data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// play runs a recording through Window and Matcher, one tick a line time.
func play(t testing.TB, file string, sigs []*signature.Signature) (start time.Time, all []store.Incident) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := store.NewWindow(Baselines(sigs))
	byID := map[string]store.Incident{}
	id := 0
	m := New(Options{
		Window: w, Signatures: func() []*signature.Signature { return sigs },
		NextID: func() string { id++; return fmt.Sprint(id) },
		Keep:   func(in store.Incident) { byID[in.ID] = in },
	})
	var last time.Time
	problems, err := store.ReadRecording(f, file, func(_ int, b store.Batch) error {
		if start.IsZero() {
			start = b.At
		}
		if !last.IsZero() && b.At.After(last) {
			m.Tick(last, last)
		}
		last = b.At
		w.Push(b)
		return nil
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	m.Tick(last, last)
	for i := 1; i <= id; i++ {
		all = append(all, byID[fmt.Sprint(i)])
	}
	return start, all
}

type expectation struct {
	Match    string
	At       float64
	Within   float64
	Severity store.Severity
	Never    []string
}

// TestRecordings is the proof on real stalls: the right runbook, in time, and
// nothing else that is named in expected.json.
func TestRecordings(t *testing.T) {
	data, err := os.ReadFile("../../runbooks/testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]expectation
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../../runbooks/*/fixtures/*.jsonl")
	sigs := library(t)
	found := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		e, ok := expected[name]
		if !ok {
			continue
		}
		found++
		t.Run(name, func(t *testing.T) {
			start, all := play(t, file, sigs)
			matched := false
			for _, in := range all {
				after := in.OpenedAt.Sub(start).Seconds()
				t.Logf("%5.0f s +%4.0f s %-20s %-9s %-12s %s", after, in.LastYes.Sub(in.OpenedAt).Seconds(), in.Runbook, in.Severity, in.State, in.Summary)
				for _, ev := range in.Timeline {
					t.Logf("        %s %s", ev.At.Sub(start).Round(time.Second), ev.Text)
				}
				if slices.Contains(e.Never, in.Runbook) {
					t.Errorf("%s must not open here", in.Runbook)
				}
				if in.Runbook == e.Match && after >= e.At-5 && after <= e.At+e.Within && (e.Severity == "" || in.Severity == e.Severity) {
					matched = true
				}
			}
			if e.Match != "" && !matched {
				t.Errorf("no %s opened between %v and %v s", e.Match, e.At-5, e.At+e.Within)
			}
		})
	}
	if found != len(expected) {
		t.Errorf("%d of %d expected recordings were found", found, len(expected))
	}
}
