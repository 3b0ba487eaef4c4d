package server

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stallbook/server/config"
	"stallbook/server/poll"
	"stallbook/store"
)

// rigFleet is a fleet that polls for real, and how many batches came of one source.
func rigFleet(t *testing.T) (f *fleet, batches func(source string) int64) {
	t.Helper()
	counts := map[string]*atomic.Int64{"postgres": {}, "nodeexporter": {}, "latency": {}}
	window := store.NewWindow(nil)
	sink := func(b store.Batch) {
		counts[b.Source].Add(1)
		window.Push(b)
	}
	log := slog.New(slog.DiscardHandler)
	group := poll.NewGroup(t.Context(), sink, log)
	t.Cleanup(group.Wait) // runs after the test's context ended
	return newFleet(t.Context(), group, window, sink, log), func(source string) int64 { return counts[source].Load() }
}

func sourcesOf(f *fleet, ref store.Ref) (names []string) {
	f.window.Read(func(v store.View) {
		if in := v.Instance(ref); in != nil {
			for _, s := range in.Sources() {
				names = append(names, s.Source)
			}
		}
	})
	return names
}

// What a reload takes out of the file is gone; what it can't do changes nothing.
func TestFollow(t *testing.T) {
	metrics := httptest.NewServer(http.NotFoundHandler())
	defer metrics.Close()
	a := config.Instance{
		Name: "a", Postgres: config.NewSecret("host=127.0.0.1 port=1 sslmode=disable", "a"), Latency: config.Latency{Kind: config.LatencyAuto},
		NodeExporter: &config.NodeExporter{URL: config.NewSecret(metrics.URL, "")},
	}
	of := func(list ...config.Instance) *config.Config {
		return &config.Config{Clusters: []config.Cluster{{Name: "orders", Instances: list}}}
	}
	f, batches := rigFleet(t)
	ref := store.Ref{Cluster: "orders", Instance: "a"}
	expect := func(when, want string) {
		t.Helper()
		if got := fmt.Sprint(sourcesOf(f, ref)); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	if err := f.follow(of(a)); err != nil {
		t.Fatal(err)
	}
	until(t, 5*time.Second, "all three are read", func() bool { return batches("nodeexporter") > 0 && batches("postgres") > 0 })
	expect("at first", "[latency nodeexporter postgres]")

	plain := a
	plain.NodeExporter, plain.Latency = nil, config.Latency{Kind: config.LatencyNone}
	if err := f.follow(of(plain)); err != nil {
		t.Fatal(err)
	}
	expect("without node_exporter and latency", "[postgres]")

	changed, broken := a, plain
	changed.Databases = config.Databases{Names: []string{"orders"}}
	broken.Name = "b"
	broken.Latency = config.Latency{Kind: config.LatencyPrometheus, Prometheus: &config.PrometheusHistogram{URL: config.NewSecret("http://\x7f/", ""), Histogram: "x"}}
	for range 5 { // in whatever order instances are looked at
		err := f.follow(of(changed, broken))
		if err == nil || !strings.Contains(err.Error(), "orders/b") {
			t.Fatalf("a source that can't be made: %v", err)
		}
	}
	expect("after an error", "[postgres]")
	if got := f.running[ref]; got.NodeExporter != nil {
		t.Errorf("after an error %+v is taken for what runs", got)
	}
	before, others := batches("postgres"), batches("nodeexporter")
	until(t, 5*time.Second, "the old loop goes on", func() bool { return batches("postgres") > before })
	if batches("nodeexporter") != others {
		t.Error("half of the refused configuration runs")
	}
	if err := f.follow(of()); err != nil {
		t.Fatal(err)
	}
	if got := sourcesOf(f, ref); slices.Contains(got, "postgres") {
		t.Errorf("the instance is gone from the file, yet the Window has %v", got)
	}
}

// The history may bring back what the file has no more.
func TestFollowForgetsWhatOnlyTheHistoryKnows(t *testing.T) {
	f, _ := rigFleet(t)
	ref, gone := store.Ref{Cluster: "orders", Instance: "a"}, store.Ref{Cluster: "orders", Instance: "b"}
	for _, b := range []store.Batch{{Ref: ref, Source: "postgres"}, {Ref: ref, Source: "nodeexporter"}, {Ref: gone, Source: "postgres"}} {
		b.At = time.Now().Add(-time.Minute)
		f.window.Push(b)
	}
	cfg := &config.Config{Clusters: []config.Cluster{{Name: "orders", Instances: []config.Instance{
		{Name: "a", Postgres: config.NewSecret("host=127.0.0.1 port=1 sslmode=disable", "a"), Latency: config.Latency{Kind: config.LatencyNone}},
	}}}}
	if err := f.follow(cfg); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sourcesOf(f, ref)); got != "[postgres]" {
		t.Errorf("sources %s", got)
	}
	if got := f.refs(); len(got) != 1 {
		t.Errorf("instances %v", got)
	}
}

// A live demo says that its address is taken before it starts any server.
func TestDemoLiveLooksAtItsAddressFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = DemoLive(t.Context(), DemoOptions{Listen: l.Addr().String(), Log: slog.New(slog.DiscardHandler), Starting: func() { t.Error("servers are being started") }})
	if err == nil || !strings.Contains(err.Error(), "can't listen on "+l.Addr().String()) {
		t.Errorf("got %v", err)
	}
}
