package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestLiveDemoInBrowser presses the outage button of demo --live in a real
// browser: the incident opens within five seconds, its runbook's check shows the
// live cause, and it closes after healing.
func TestLiveDemoInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL and Chromium")
	}
	if _, err := os.Stat("../node_modules/playwright-core"); err != nil {
		t.Skip("playwright-core is not installed: npm ci in the repository brings it")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- DemoLive(ctx, DemoOptions{Listen: "127.0.0.1:0", Version: "test", Log: slog.New(slog.DiscardHandler), Ready: func(url string) { ready <- url }})
	}()
	var url string
	select {
	case url = <-ready:
	case err := <-ended:
		cancel()
		t.Fatalf("demo --live did not start: %v", err)
	case <-time.After(90 * time.Second):
		cancel()
		t.Fatal("demo --live did not start within 90 s")
	}
	time.Sleep(4 * time.Second) // the standby is synchronous and the first polls are in
	bounded, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(bounded, "node", filepath.Join("testdata", "live-demo.mjs"), url)
	cmd.Stderr = t.Output()
	text, err := cmd.Output()
	cancel()
	if e := <-ended; e != nil {
		t.Errorf("the demo ended with %v", e)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var got struct {
		Errors   []string
		OpenedMs int `json:"opened_ms"`
		ClosedMs int `json:"closed_ms"`
		Checked  string
		Failed   string
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%+v", got)
	if got.Failed != "" || len(got.Errors) > 0 {
		t.Errorf("failed %q, console %q", got.Failed, got.Errors)
	}
	if got.OpenedMs <= 0 || got.OpenedMs > 5000 {
		t.Errorf("the incident was on the page after %d ms", got.OpenedMs)
	}
	if got.Checked == "" {
		t.Error("the check showed nothing")
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "stallbook-live-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
