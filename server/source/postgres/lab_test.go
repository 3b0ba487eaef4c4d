package postgres

import (
	"os"
	"strings"
	"testing"
	"time"

	"stallbook/server/lab"
	"stallbook/store"
)

// primary starts a server of a major version, or skips the test.
func primary(t testing.TB, major int, settings map[string]string) *lab.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	bin, err := lab.FindMajor(major)
	if err != nil {
		t.Skip(err)
	}
	return startWith(t, bin, settings)
}

func startWith(t testing.TB, bin lab.Binaries, settings map[string]string) *lab.Server {
	t.Helper()
	all := map[string]string{"fsync": "off"}
	for k, v := range settings {
		all[k] = v
	}
	s, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Checksums: true, Settings: all})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// source has patience, since many tests share a small machine; those about
// deadlines ask for the usual one with inTime.
func source(t testing.TB, dsn string, more ...func(*Options)) *Source {
	t.Helper()
	o := Options{Ref: store.Ref{Cluster: "lab", Instance: "one"}, DSN: dsn, Deadline: 5 * time.Second}
	for _, f := range more {
		f(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func inTime(o *Options) { o.Deadline = 0 }

func slowEach(d time.Duration) func(*Options) { return func(o *Options) { o.Slow = d } }

func collect(t testing.TB, s *Source) store.Batch {
	t.Helper()
	return s.Collect(t.Context(), time.Now())
}

// good collects and fails the test when the source does.
func good(t testing.TB, s *Source) store.Batch {
	t.Helper()
	b := collect(t, s)
	if b.Err != "" {
		t.Fatal(b.Err)
	}
	return b
}

// value returns one sample's value in the signal's unit.
func value(b store.Batch, name, label string) (float64, bool) {
	id := store.MustLookup(name)
	for _, s := range b.Samples {
		if s.Signal == id && s.Label == label {
			return s.Value(b.Elapsed)
		}
	}
	return 0, false
}

// signals lists the names of a batch's signals.
func signals(b store.Batch) map[string]bool {
	names := map[string]bool{}
	for _, s := range b.Samples {
		names[s.Signal.Name()] = true
	}
	return names
}

func events(b store.Batch, kind string) (texts []string) {
	for _, e := range b.Events {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// eventually collects every 200 ms until ok, for at most patience.
func eventually(t testing.TB, s *Source, patience time.Duration, what string, ok func(store.Batch) bool) store.Batch {
	t.Helper()
	var b store.Batch
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if b = collect(t, s); ok(b) {
			return b
		}
	}
	t.Fatalf("not seen within %s: %s; the last batch: err %q, notes %q, samples %v", patience, what, b.Err, b.Notes, signals(b))
	return b
}

func run1(t testing.TB, s *lab.Server, statements ...string) {
	t.Helper()
	if err := s.Exec(t.Context(), "postgres", statements...); err != nil {
		t.Fatal(err)
	}
}

// errorsIn returns the ERROR lines the server has logged.
func errorsIn(t testing.TB, s *lab.Server) (lines []string) {
	t.Helper()
	raw, err := os.ReadFile(s.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, "ERROR:") || strings.Contains(line, "FATAL:") && !strings.Contains(line, "starting up") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
