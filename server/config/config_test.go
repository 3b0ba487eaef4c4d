package config

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/store"
	"stallbook/store/strict"
)

var update = flag.Bool("update", false, "write the .want files anew")

var testEnv = map[string]string{"PROM_PASSWORD": "s3cret-prom", "ORDERS_PASSWORD": "s3cret-orders"}

func lookup(name string) (string, bool) { v, ok := testEnv[name]; return v, ok }

// clearPG keeps the machine's own PG* variables out of the goldens.
func clearPG(t *testing.T) {
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "PG") {
			os.Unsetenv(name)
			t.Cleanup(func() { os.Setenv(name, value) })
		}
	}
	t.Setenv("PGUSER", "tester")
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	want := strings.TrimSuffix(file, ".yaml") + ".want"
	if *update {
		if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(b) {
		t.Errorf("got\n%s\nwant\n%s", got, b)
	}
}

func files(t *testing.T, pattern string) []string {
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return list
}

func TestGood(t *testing.T) {
	clearPG(t)
	for _, f := range files(t, "testdata/good/*.yaml") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			c, err := Load(f, lookup)
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, f, string(out)+"\n")
		})
	}
}

func TestBadNamesEveryProblem(t *testing.T) {
	clearPG(t)
	for _, f := range files(t, "testdata/bad/*.yaml") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			_, err := Load(f, lookup)
			var problems strict.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want problems", err)
			}
			if s := err.Error(); strings.Contains(s, "hunter2") || strings.Contains(s, "pa/ss") || strings.Contains(s, ":pa") {
				t.Errorf("a password is in the message: %s", s)
			}
			here, wderr := os.Getwd()
			if wderr != nil {
				t.Fatal(wderr)
			}
			golden(t, f, strings.ReplaceAll(err.Error(), here, "(here)")+"\n")
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	_, err := Load("testdata/nowhere.yaml", lookup)
	var p *store.Problem
	if !errors.As(err, &p) || p.Code != "not_found" || !strings.Contains(p.Message, "testdata/nowhere.yaml") {
		t.Errorf("got %v", err)
	}
	_, err = Load("testdata", lookup)
	if !errors.As(err, &p) || p.Code != "unavailable" {
		t.Errorf("a folder: got %v", err)
	}
}

func TestReferencesReachTheValue(t *testing.T) {
	clearPG(t)
	c, err := Load("testdata/good/full.yaml", lookup)
	if err != nil {
		t.Fatal(err)
	}
	orders := c.Cluster("orders")
	if dsn := orders.Instances[0].Postgres.Reveal(); !strings.Contains(dsn, ":s3cret-orders@") {
		t.Errorf("the variable is not in the connection string")
	}
	if dsn := orders.Instances[1].Postgres.Reveal(); !strings.Contains(dsn, "'${not a reference}'") {
		t.Errorf("$${ is not taken literally: %s", dsn)
	}
	if u := orders.Instances[0].Latency.Prometheus.URL.Reveal(); !strings.Contains(u, "ada:s3cret-prom@") {
		t.Errorf("the variable is not in the URL")
	}
}

func TestMutedBounds(t *testing.T) {
	from := time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
	c := Config{
		Mute:     []Mute{{from, from.Add(time.Hour), "all"}},
		Clusters: []Cluster{{Name: "orders", Mute: []Mute{{from.Add(time.Hour), from.Add(2 * time.Hour), "own"}}}, {Name: "billing"}},
	}
	for _, tc := range []struct {
		cluster string
		after   time.Duration
		why     string
	}{
		{"orders", -time.Second, ""}, {"orders", 0, "all"}, {"orders", time.Hour, "own"}, {"orders", 2 * time.Hour, ""},
		{"billing", 59 * time.Minute, "all"}, {"billing", time.Hour, ""}, {"unheard-of", 0, "all"},
	} {
		why, muted := c.Muted(tc.cluster, from.Add(tc.after))
		if why != tc.why || muted != (tc.why != "") {
			t.Errorf("%s after %s: got %q, %v; want %q", tc.cluster, tc.after, why, muted, tc.why)
		}
	}
}

func TestCheckListen(t *testing.T) {
	for listen, good := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:80": true, "[::1]:8080": true, "127.9.9.9:0": true, "[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:8080": false, ":8080": false, "10.0.0.5:8080": false, "[::]:8080": false, "db.example.net:8080": false,
		"127.0.0.1": false, "127.0.0.1:http": false, "127.0.0.1:70000": false,
	} {
		if err := (&Config{Listen: listen}).CheckListen(); (err == nil) != good {
			t.Errorf("%s: got %v, want good=%v", listen, err, good)
		}
	}
}

func TestCheckNamesTheNearest(t *testing.T) {
	clearPG(t)
	c, err := Load("testdata/good/full.yaml", lookup)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Check(map[string][]string{"autovacuum-stal": {"p50-lift"}, "recovery-prefetch": {"replay_lag", "other"}})
	want := `testdata/good/full.yaml:13: thresholds: there is no runbook "autovacuum-stall"; did you mean "autovacuum-stal"?
testdata/good/full.yaml:14: thresholds: recovery-prefetch has no clause "replay-lag"; did you mean "replay_lag"?`
	if got.Error() != want {
		t.Errorf("got\n%s", got.Error())
	}
	if rest := c.Check(map[string][]string{"autovacuum-stall": {"p50-lift", "iops-at-limit"}, "recovery-prefetch": {"replay-lag"}}); len(rest) > 0 {
		t.Errorf("good thresholds refused: %v", rest)
	}
}
