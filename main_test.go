package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// try runs one command line in-process.
func try(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, &terminal{Out: &o, Err: &e, Env: func(string) (string, bool) { return "", false }})
	return code, o.String(), e.String()
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, args := range [][]string{
		{}, {"demo"}, {"serve"}, {"check"}, {"replay"}, {"record"}, {"version"},
		{"runbooks"}, {"runbooks", "list"}, {"runbooks", "lint"}, {"runbooks", "test"},
	} {
		code, out, errs := try(t, append(args, "--help")...)
		if code != exitOK || errs != "" || !strings.HasPrefix(out, "Usage: stallbook "+strings.Join(args, " ")) {
			t.Errorf("%v --help: exit %d\n%s%s", args, code, out, errs)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	open := writeFile(t, "open.yaml", "listen: 0.0.0.0:8080\nclusters: [{name: a, instances: [{name: b, postgres: host=127.0.0.1 sslmode=disable}]}]\n")
	closed := writeFile(t, "closed.yaml", "clusters: [{name: a, instances: [{name: b, postgres: host=127.0.0.1 sslmode=disable}]}]\n")
	typo := writeFile(t, "typo.yaml", "clsters: []\n")
	folder := t.TempDir()
	slug := writeFile(t, "slug.yaml", "database: "+filepath.Join(t.TempDir(), "x.db")+"\nclusters: [{name: a, thresholds: {autovacuum-stal: {p50-lift: 2}}, instances: [{name: b, postgres: host=127.0.0.1 sslmode=disable}]}]\n")
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no such command":     {[]string{"sevre"}, `did you mean "serve"`},
		"no such flag":        {[]string{"version", "--loud"}, "--loud"},
		"config is required":  {[]string{"serve"}, "--config"},
		"no file":             {[]string{"serve", "--config", "/nowhere.yaml"}, "no configuration file /nowhere.yaml"},
		"misspelt key":        {[]string{"serve", "--config", typo}, `typo.yaml:1: unknown key "clsters"; did you mean "clusters"?`},
		"misspelt runbook":    {[]string{"serve", "--config", slug}, `did you mean "autovacuum-stall"?`},
		"open to all":         {[]string{"serve", "--config", open}, "without auth"},
		"open to all by flag": {[]string{"serve", "--config", closed, "--listen", ":8080"}, "without auth"},
		"demo open to all":    {[]string{"demo", "--listen", "0.0.0.0:0"}, "without auth"},
		"no recording":        {[]string{"replay", "/nowhere.jsonl"}, "no recording /nowhere.jsonl"},
		"a folder":            {[]string{"replay", folder}, "stallbook: " + folder + " is a folder: name the recordings in it\n"},
		"bad speed":           {[]string{"replay", closed, "--speed", "fast"}, "neither max nor a number"},
		"bad dsn":             {[]string{"check", "--dsn", "postgres://a:hunter2/x@h/d"}, "percent-encoded"},
		"nothing to check":    {[]string{"check"}, "--config"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errs := try(t, tc.args...)
			if code != exitUsage || !strings.Contains(errs, tc.says) || strings.Contains(errs, "hunter2") {
				t.Errorf("exit %d, want %d and %q in\n%s", code, exitUsage, tc.says, errs)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	code, out, _ := try(t, "version")
	if code != exitOK || !strings.HasPrefix(out, "stallbook ") || !strings.Contains(out, "go1.") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestReplayFindsTheStall(t *testing.T) {
	const file = "runbooks/autovacuum-stall/fixtures/autovacuum-iops-form.jsonl"
	code, out, errs := try(t, "replay", "--json", file)
	var body struct {
		Incidents []struct {
			ID, Runbook, Severity string
			Evidence              []struct{ Clause, Verdict string }
		}
	}
	if err := json.Unmarshal([]byte(out), &body); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	found := false
	for _, in := range body.Incidents {
		found = found || in.Runbook == "autovacuum-stall" && len(in.Evidence) > 0 && in.ID != ""
	}
	if !found {
		t.Errorf("no autovacuum-stall with evidence in %s", out)
	}
	code, out, _ = try(t, "replay", file)
	if code != exitOK || !strings.Contains(out, "autovacuum-stall") || !strings.Contains(out, "p50-lift") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// What people read has the units and spans of the pages.
func TestReplayPrintsForPeople(t *testing.T) {
	const file = "runbooks/recovery-prefetch/fixtures/replica-pinned-sync-outage.jsonl"
	code, out, errs := try(t, "replay", file)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, bad := range []string{`, for [0-9]+m[0-9]+s`, `[0-9]/s`, `[0-9]%`, `[0-9]{4,} (ms|/s|KiB)`} {
		if found := regexp.MustCompile(bad).FindString(out); found != "" {
			t.Errorf("%q stands in\n%s", found, out)
		}
	}
	if !regexp.MustCompile(`, for ([0-9]+ s|[0-9]+ min [0-9]{2} s)\n`).MatchString(out) || !regexp.MustCompile(`[0-9] /s `).MatchString(out) {
		t.Errorf("no span or no rate in\n%s", out)
	}
}

func TestReplayReadsStandardInput(t *testing.T) {
	const file = "runbooks/autovacuum-stall/fixtures/autovacuum-iops-form.jsonl"
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, want, _ := try(t, "replay", file)
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"replay", "-"}, &terminal{In: f, Out: &out, Err: &errs})
	if code != exitOK || out.String() != want || errs.Len() > 0 {
		t.Errorf("exit %d, %s\n%s", code, errs.String(), out.String())
	}
}

func TestReplaySaysWhichLineIsBroken(t *testing.T) {
	good, err := os.ReadFile("runbooks/recovery-prefetch/fixtures/replica-prefetch-off.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	lines[4] = "{\"at\": broken\n"
	file := writeFile(t, "broken.jsonl", strings.Join(lines, ""))
	code, out, errs := try(t, "replay", file)
	if code != exitOK || !strings.Contains(errs, "broken.jsonl:5: ") || strings.Contains(out, "recovery-prefetch") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	file := writeFile(t, "c.yaml", "listen: 127.0.0.1:0\nclusters: [{name: a, instances: [{name: b, postgres: host=127.0.0.1 port=1 sslmode=disable}]}]\n")
	ctx, cancel := context.WithCancel(t.Context())
	ready := readyWriter{cancel: cancel}
	var errs bytes.Buffer
	code := run(ctx, []string{"serve", "-c", file, "--log-level", "error"}, &terminal{Out: &ready, Err: &errs, Env: os.LookupEnv})
	if code != exitOK || !strings.Contains(ready.String(), "serves http://127.0.0.1:") {
		t.Errorf("exit %d: %s%s", code, ready.String(), errs.String())
	}
}

// readyWriter cancels as soon as the program says where it serves.
type readyWriter struct {
	bytes.Buffer
	cancel func()
}

func (w *readyWriter) Write(p []byte) (int, error) {
	w.cancel()
	return w.Buffer.Write(p)
}
