package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"stallbook/server/config"
	"stallbook/server/lab"
)

// TestRecordFixtures makes the recordings in the library that can be made on any
// Linux machine with root. It writes them into the folder that
// STALLBOOK_RECORD names:
//
//	STALLBOOK_RECORD=/tmp/new go test ./server -run RecordFixtures -v
func TestRecordFixtures(t *testing.T) {
	out := os.Getenv("STALLBOOK_RECORD")
	if out == "" {
		t.Skip("records only when STALLBOOK_RECORD names a folder")
	}
	t.Run("sync-outage", func(t *testing.T) {
		primary, standby, cfg := labCluster(t)
		traffic := lab.StartTraffic(t.Context(), primary, 4, 100*time.Millisecond)
		defer traffic.Stop()
		record(t, cfg, filepath.Join(out, "sync-outage.jsonl"), 110*time.Second, func() {
			time.Sleep(70 * time.Second)
			heal, err := lab.SyncOutage(t.Context(), primary, standby)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(15 * time.Second)
			if err := heal(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("frozen-volume", func(t *testing.T) {
		dir := volume(t)
		bin, err := lab.FindMajor(17)
		if err != nil {
			t.Fatal(err)
		}
		primary, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Checksums: true, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { primary.Close() })
		traffic := lab.StartTraffic(t.Context(), primary, 12, 50*time.Millisecond)
		defer traffic.Stop()
		cfg := emptyConfig(t)
		cfg.Clusters = []config.Cluster{{Name: "lab", Instances: []config.Instance{
			{Name: "lab-1", Postgres: config.NewSecret(primary.DSN("postgres"), "lab-1"), Latency: config.Latency{Kind: config.LatencyProbe, ProbeEvery: 100 * time.Millisecond}},
		}}}
		record(t, cfg, filepath.Join(out, "frozen-volume.jsonl"), 120*time.Second, func() {
			time.Sleep(75 * time.Second)
			freeze(t, "-f", dir)
			time.Sleep(8 * time.Second)
			freeze(t, "-u", dir)
		})
	})
}

// record polls for so long and writes what came, while during happens.
func record(t *testing.T, cfg *config.Config, file string, long time.Duration, during func()) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		during()
	}()
	if err := Record(ctx, cfg, f, slog.New(slog.DiscardHandler)); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	<-done
}

// volume is an ext4 file system of its own on a loop device: freezing it is a
// volume that answers no write.
func volume(t *testing.T) string {
	t.Helper()
	image, dir := filepath.Join(t.TempDir(), "image"), filepath.Join("/tmp", "stallbook-frozen")
	for _, cmd := range [][]string{
		{"truncate", "-s", "1G", image}, {"mkfs.ext4", "-q", "-F", image}, {"mkdir", "-p", dir}, {"mount", "-o", "loop", image, dir}, {"chmod", "777", dir},
	} {
		if b, err := exec.CommandContext(t.Context(), cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", cmd, err, b)
		}
	}
	t.Cleanup(func() {
		if b, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, b)
		}
		os.Remove(dir)
	})
	return dir
}

func freeze(t *testing.T, flag, dir string) {
	if b, err := exec.Command("fsfreeze", flag, dir).CombinedOutput(); err != nil {
		t.Errorf("fsfreeze %s: %v %s", flag, err, b)
	}
}
