package server

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"stallbook/runbooks"
	"stallbook/server/config"
	"stallbook/server/source/replay"
)

// DemoOptions are what the command line says about a demo.
type DemoOptions struct {
	Listen  string // host:port, loopback
	Version string
	Log     *slog.Logger
	Ready   func(url string)
	// Starting is called before a live demo starts its servers; may be nil.
	Starting func()
}

// demoTape is a recording of the library as a cluster of the demo.
type demoTape struct {
	fixture   string
	cluster   string
	instances map[string]string
	onset     time.Duration // after the first line; the recordings' README has them
}

// tapes are five recordings of real servers. The last is the control to the first:
// its replica keeps up; once what is usual there is known, the eight seconds of
// slow commits in it open as a stall without a known cause, which they are.
func tapes() []demoTape {
	return []demoTape{
		{"recovery-prefetch/replica-pinned-sync-outage.jsonl", "orders", map[string]string{"primary": "orders-1", "standby": "orders-2"}, 31 * time.Second},
		{"autovacuum-stall/autovacuum-iops-form.jsonl", "events", map[string]string{"primary": "events-1"}, 70 * time.Second},
		{"autovacuum-stall/autovacuum-bandwidth-form.jsonl", "usage", map[string]string{"primary": "usage-1"}, 68 * time.Second},
		{"wal-pool-stall/wal-segment-creation.jsonl", "ingest", map[string]string{"primary": "ingest-1"}, 77 * time.Second},
		{"recovery-prefetch/replica-prefetch-off.jsonl", "ledger", map[string]string{"primary": "ledger-1", "standby": "ledger-2"}, 38 * time.Second},
	}
}

// Demo plays the recordings built into the binary as live clusters. Its history
// lives in a temporary folder that is removed at the end.
func Demo(ctx context.Context, o DemoOptions) error {
	dir, err := os.MkdirTemp("", "stallbook-demo-")
	if err != nil {
		return fmt.Errorf("a temporary folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	lib, err := LoadLibrary(nil)
	if err != nil {
		return err
	}
	feeds, err := tapeFeeds(lib, time.Now())
	if err != nil {
		return err
	}
	return Serve(ctx, Options{
		Config: demoConfig(dir, o.Listen), Version: o.Version, Mode: "demo", Log: o.Log, Ready: o.Ready, Feeds: feeds,
	})
}

func demoConfig(dir, address string) *config.Config {
	return &config.Config{File: "the demo", Listen: address, Database: filepath.Join(dir, "stallbook.db")}
}

func tapeFeeds(lib *runbooks.Library, now time.Time) ([]Feed, error) {
	var feeds []Feed
	for _, t := range tapes() {
		f, err := lib.OpenFixture(t.fixture)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", t.fixture, err)
		}
		batches, _, err := replay.Read(replay.File{Name: t.fixture, R: f})
		f.Close()
		if err != nil {
			return nil, err
		}
		tp, err := replay.NewTape(batches, replay.TapeOptions{Cluster: t.cluster, Instances: t.instances, Onset: t.onset})
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", t.fixture, err)
		}
		history, run := tp.Start(now)
		feeds = append(feeds, Feed{Refs: tp.Refs(), History: history, Run: run})
	}
	return feeds, nil
}
