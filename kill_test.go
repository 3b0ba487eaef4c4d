package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver, for integrity_check

	"stallbook/server/lab"
	"stallbook/store"
)

// TestKillWhilePolling ends a serving program with SIGKILL in an outage. After
// the restart at most two seconds of samples are missing before the end, the
// incident goes on under its id, and the file is sound.
func TestKillWhilePolling(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and starts PostgreSQL")
	}
	bin, err := lab.FindMajor(17)
	if err != nil {
		t.Fatal(err)
	}
	primary, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin})
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Close()
	// No standby of this name exists, so that commits wait.
	if err := primary.SetSetting(t.Context(), "synchronous_standby_names", "gone"); err != nil {
		t.Fatal(err)
	}
	traffic := lab.StartTraffic(t.Context(), primary, 2, 100*time.Millisecond)
	defer traffic.Stop()

	dir := t.TempDir()
	program := filepath.Join(dir, "stallbook")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	address := freeAddress(t)
	cfg := filepath.Join(dir, "stallbook.yaml")
	text := fmt.Sprintf("listen: %s\ndatabase: %s\nclusters:\n  - name: lab\n    instances:\n      - name: lab-1\n        postgres: %q\n", address, filepath.Join(dir, "stallbook.db"), primary.DSN("postgres"))
	if err := os.WriteFile(cfg, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	first := serve(t, program, cfg)
	before := waitIncident(t, address)
	time.Sleep(6 * time.Second)
	killed := time.Now()
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()

	second := serve(t, program, cfg)
	defer func() { second.Process.Kill(); second.Wait() }()
	after := waitIncident(t, address)
	if after.ID != before.ID || !after.OpenedAt.Equal(before.OpenedAt) {
		t.Errorf("the incident was %s of %v, it is %s of %v", before.ID, before.OpenedAt, after.ID, after.OpenedAt)
	}
	newest := newestBefore(t, address, killed)
	t.Logf("the newest sample is %v older than the kill", killed.Sub(newest).Round(10*time.Millisecond))
	if killed.Sub(newest) > 3*time.Second { // 2 s of samples and the second they lie in
		t.Errorf("%v of samples are missing", killed.Sub(newest))
	}
	second.Process.Kill()
	second.Wait()
	checkFile(t, filepath.Join(dir, "stallbook.db"))
}

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func serve(t *testing.T, program, cfg string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), program, "serve", "--config", cfg)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func get(address, path string) ([]byte, error) {
	resp, err := http.Get("http://" + address + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func waitIncident(t *testing.T, address string) store.Incident {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		b, err := get(address, "/api/v1/incidents?state=open")
		var list struct{ Incidents []store.Incident }
		if err == nil && json.Unmarshal(b, &list) == nil && len(list.Incidents) == 1 {
			return list.Incidents[0]
		}
	}
	t.Fatal("no incident within 20 s")
	return store.Incident{}
}

// newestBefore is the second of the newest kept sample before a moment.
func newestBefore(t *testing.T, address string, moment time.Time) time.Time {
	t.Helper()
	b, err := get(address, fmt.Sprintf("/api/v1/clusters/lab/lab-1/series?signal=pg.active&from=%d&to=%d", moment.Add(-time.Minute).UnixMilli(), moment.UnixMilli()))
	if err != nil {
		t.Fatal(err)
	}
	var series struct{ Points [][3]*float64 }
	if err := json.Unmarshal(b, &series); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	newest := time.Time{}
	for _, p := range series.Points {
		if p[1] != nil {
			newest = time.UnixMilli(int64(*p[0]))
		}
	}
	return newest
}

// checkFile asks SQLite whether the file is sound.
func checkFile(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var answer string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
		t.Errorf("integrity_check says %q, %v", answer, err)
	}
}
