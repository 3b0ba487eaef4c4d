package nodeexporter

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

var ref = store.Ref{Cluster: "orders", Instance: "orders-1"}

// exporter serves a page that the test changes.
type exporter struct {
	page    string
	refuses bool // answers 400 to collect[]
	asked   []string
}

func (e *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked = append(e.asked, strings.Join(r.URL.Query()["collect[]"], ","))
	if e.refuses && r.URL.RawQuery != "" {
		http.Error(w, "Couldn't create filtered metrics handler: disabled collector: time", http.StatusBadRequest)
		return
	}
	io.WriteString(w, e.page)
}

// disk writes the counters of sda at a moment of the host's clock.
func disk(device string, at float64, reads, writes, readBytes, writeBytes int64, readTime, writeTime, busy, weighted float64) string {
	var b strings.Builder
	line := func(name string, v any) { fmt.Fprintf(&b, "node_disk_%s{device=%q} %v\n", name, device, v) }
	line("reads_completed_total", reads)
	line("writes_completed_total", writes)
	line("read_bytes_total", readBytes)
	line("written_bytes_total", writeBytes)
	line("read_time_seconds_total", readTime)
	line("write_time_seconds_total", writeTime)
	line("io_time_seconds_total", busy)
	line("io_time_weighted_seconds_total", weighted)
	if at > 0 {
		fmt.Fprintf(&b, "node_time_seconds %f\n", at)
	}
	return b.String()
}

func start(t *testing.T, cfg Options) (*exporter, *Source) {
	t.Helper()
	e := new(exporter)
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	cfg.URL, cfg.Ref = srv.URL, ref
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return e, s
}

func values(b store.Batch) map[string]float64 {
	out := map[string]float64{}
	for _, s := range b.Samples {
		if v, ok := s.Value(b.Elapsed); ok {
			out[s.Signal.Name()] = v
		}
	}
	return out
}

func TestCollect(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	e.page = disk("sda", 1000, 10, 100, 4096, 1<<20, 1, 2, 3, 4)
	now := time.Now()
	first := s.Collect(t.Context(), now)
	if first.Err != "" || len(first.Samples) != 0 || first.Source != "nodeexporter" || first.Ref != ref {
		t.Fatalf("first reading of %s by %s: %q, %v", first.Ref, first.Source, first.Err, first.Samples)
	}
	// The two answers come within a millisecond here and the host says half a
	// second: within what our clocks may differ, so the host's counts.
	e.page = disk("sda", 1000.5, 10, 600, 4096, 1<<20+500*8192, 1, 2.25, 3.25, 5)
	b := s.Collect(t.Context(), now)
	if b.Err != "" || b.Elapsed != 500*time.Millisecond {
		t.Fatalf("second reading: %q, elapsed %v", b.Err, b.Elapsed)
	}
	want := map[string]float64{
		"disk.read_iops": 0, "disk.write_iops": 1000, "disk.read_kib_s": 0, "disk.write_kib_s": 8000,
		"disk.write_await_ms": 0.5, "disk.queue": 2, "disk.util_pct": 50,
	}
	got := values(b)
	for name, v := range want {
		if g, ok := got[name]; !ok || math.Abs(g-v) > 1e-6 {
			t.Errorf("%s = %v, %v, want %v", name, g, ok, v)
		}
	}
	if _, ok := got["disk.read_await_ms"]; ok {
		t.Error("there was no read, so its mean time must be absent")
	}
	if b.Samples[3].N != 500*8192 {
		t.Errorf("bytes are stored as %d", b.Samples[3].N)
	}
	if e.asked[1] != "diskstats,time" {
		t.Errorf("asked for %q", e.asked[1])
	}
}

func TestResetIsAGap(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	at := 1000.0
	collect := func(reads, writes int64, busy float64) store.Batch {
		at += 0.1
		e.page = disk("sda", at, reads, writes, reads, writes, busy, busy, busy, busy)
		return s.Collect(t.Context(), time.Now())
	}
	collect(500, 500, 100)
	b := collect(3, 4, 1)
	if b.Err != "" || len(b.Samples) != 0 || len(b.Events) != 1 || b.Events[0].Kind != "reset" {
		t.Errorf("after a reset: %q, %v, %v", b.Err, b.Samples, b.Events)
	}
	if b = collect(4, 5, 1); values(b)["disk.read_iops"] < 1 {
		t.Errorf("after the gap: %v", values(b))
	}
	collect(5, 6, wrap-1)
	b = collect(6, 8, 1)
	if got := values(b)["disk.read_await_ms"]; math.Abs(got-2000) > 1 || len(b.Events) != 0 {
		t.Errorf("a wrapped time counter gives %v ms, events %v, want 2000 ms", got, b.Events)
	}
}

func TestCachedPage(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	e.page = disk("sda", 1000, 1, 1, 1, 1, 1, 1, 1, 1)
	s.Collect(t.Context(), time.Now())
	b := s.Collect(t.Context(), time.Now())
	if !strings.Contains(b.Err, "a cache or a proxy") || len(b.Samples) != 0 {
		t.Errorf("the same page twice: %q, %v", b.Err, b.Samples)
	}
}

func TestDeviceGoneAndBack(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	other := disk("sdb", 0, 1, 1, 1, 1, 1, 1, 1, 1)
	e.page = disk("sda", 1000, 100, 1, 1, 1, 1, 1, 1, 1)
	s.Collect(t.Context(), time.Now())
	e.page = other
	b := s.Collect(t.Context(), time.Now())
	if !strings.Contains(b.Err, "sda is gone") || len(b.Events) != 1 {
		t.Errorf("gone: %q, events %v", b.Err, b.Events)
	}
	if b = s.Collect(t.Context(), time.Now()); !strings.Contains(b.Err, `no block device "sda"; set node_exporter.device to one of: sdb`) {
		t.Errorf("still gone: %q", b.Err)
	}
	e.page = disk("sda", 1003, 1, 1, 1, 1, 1, 1, 1, 1)
	if b = s.Collect(t.Context(), time.Now()); b.Err != "" || len(b.Samples) != 0 {
		t.Errorf("back: %q, %v: the first reading of a new device has no rates", b.Err, b.Samples)
	}
}

func TestVolumeSwappedUnderItsMountPoint(t *testing.T) {
	e, s := start(t, Options{})
	s.SetDataDir("/data/pg")
	fs := func(device string) string {
		return fmt.Sprintf("node_filesystem_size_bytes{device=%q,fstype=\"xfs\",mountpoint=\"/data\"} 1\n", device)
	}
	both := func(at float64) string { return disk("sda", at, 1, 1, 1, 1, 1, 1, 1, 1) }
	e.page = both(1000) + strings.ReplaceAll(both(0), "sda", "sdb") + fs("/dev/sda1")
	now := time.Now()
	if b := s.Collect(t.Context(), now); b.Err != "" || s.device != "sda" || e.asked[0] != "diskstats,time,filesystem" {
		t.Fatalf("%q, device %q, asked %q", b.Err, s.device, e.asked)
	}
	e.page = both(1060) + strings.ReplaceAll(both(0), "sda", "sdb") + fs("/dev/sdb")
	b := s.Collect(t.Context(), now.Add(time.Minute))
	if s.device != "sdb" || len(b.Events) != 1 || len(b.Samples) != 0 {
		t.Errorf("device %q, events %v, samples %v", s.device, b.Events, b.Samples)
	}
}

func TestExporterThatRefusesTheFilter(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	e.refuses = true
	e.page = disk("sda", 1000, 1, 1, 1, 1, 1, 1, 1, 1)
	for range 2 {
		b := s.Collect(t.Context(), time.Now())
		if b.Err != "" && !strings.Contains(b.Err, "a cache") {
			t.Fatal(b.Err)
		}
	}
	if len(e.asked) != 3 {
		t.Errorf("asked %q: the refusal must be remembered", e.asked)
	}
}

func TestFailuresInWords(t *testing.T) {
	e, s := start(t, Options{Device: "sda"})
	e.page = "<html>hello</html>"
	if b := s.Collect(t.Context(), time.Now()); !strings.Contains(b.Err, "no Prometheus text page") || !s.Connected() {
		t.Errorf("a web page: %q, connected %v", b.Err, s.Connected())
	}
	e.page = "up 1\n"
	if b := s.Collect(t.Context(), time.Now()); !strings.Contains(b.Err, "diskstats") {
		t.Errorf("another exporter: %q", b.Err)
	}
	if _, err := New(Options{Ref: ref, URL: "10.0.0.5:9100"}); err == nil || !strings.Contains(err.Error(), "http://") {
		t.Errorf("a URL without scheme: %v", err)
	}
	dead, err := New(Options{Ref: ref, URL: "http://u:secret@" + freeAddr(t) + "/metrics"})
	if err != nil {
		t.Fatal(err)
	}
	if b := dead.Collect(t.Context(), time.Now()); !strings.Contains(b.Err, "refused") || strings.Contains(b.Err, "secret") || dead.Connected() {
		t.Errorf("a closed port: %q, connected %v", b.Err, dead.Connected())
	}
}

func TestHangingExporter(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := New(Options{Ref: ref, URL: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	b := s.Collect(ctx, time.Now())
	if !strings.Contains(b.Err, "did not answer in time") || !s.Connected() {
		t.Errorf("%q, connected %v", b.Err, s.Connected())
	}
}

func TestLimits(t *testing.T) {
	got := values(store.Batch{Samples: Limits(500, 128000)})
	if got["disk.iops_limit"] != 500 || got["disk.kib_s_limit"] != 128000 {
		t.Errorf("%v", got)
	}
	if len(Limits(0, 0)) != 0 {
		t.Error("limits that are not known were given")
	}
}

func TestLimitsComeWithEveryGoodReading(t *testing.T) {
	e, s := start(t, Options{Device: "sda", Limits: Limits(500, 0)})
	e.page = disk("sda", 1000, 1, 1, 1, 1, 1, 1, 1, 1)
	if b := s.Collect(t.Context(), time.Now()); values(b)["disk.iops_limit"] != 500 {
		t.Errorf("first reading: %v", b.Samples)
	}
	if b := s.Collect(t.Context(), time.Now()); b.Err == "" || len(b.Samples) != 0 {
		t.Errorf("a failed reading: %q, %v", b.Err, b.Samples)
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The real exporter of this host, with a file written and synced between two
// readings.
func TestRealExporter(t *testing.T) {
	bin, err := exec.LookPath("prometheus-node-exporter")
	if err != nil {
		if bin, err = exec.LookPath("node_exporter"); err != nil {
			t.Skip("no node_exporter on this host")
		}
	}
	addr := freeAddr(t)
	cmd := exec.Command(bin, "--web.listen-address="+addr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	dir := t.TempDir()
	s, err := New(Options{Ref: ref, URL: "http://" + addr + "/metrics", DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := waitUp(t, s)
	if strings.Contains(first.Err, "has no I/O counters") {
		t.Skip("temporary files of this host are on no disk: " + first.Err)
	}
	if first.Err != "" {
		t.Fatal(first.Err)
	}
	if err := writeSynced(filepath.Join(dir, "x"), 4<<20); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	b := s.Collect(t.Context(), time.Now())
	got := values(b)
	if b.Err != "" || got["disk.write_iops"] <= 0 || got["disk.write_kib_s"]*b.Elapsed.Seconds() < 4000 {
		t.Errorf("after 4 MiB written to %s: error %q, %v in %v", s.device, b.Err, got, b.Elapsed)
	}
	t.Logf("%s: %v in %v", s.device, got, b.Elapsed)
}

func waitUp(t *testing.T, s *Source) store.Batch {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		b := s.Collect(t.Context(), time.Now())
		if s.Connected() || time.Now().After(deadline) {
			return b
		}
	}
}

func writeSynced(name string, size int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, size)); err != nil {
		return err
	}
	return f.Sync()
}
