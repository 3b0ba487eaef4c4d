package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/server/config"
	"stallbook/server/source/replay"
	"stallbook/store"
)

// site is a service that runs in the test, as a browser or a script sees it.
type site struct {
	t    *testing.T
	url  string
	stop func()
}

// start runs the service until the test or stop ends it.
func start(t *testing.T, o Options) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	o.Listen, o.Version = "127.0.0.1:0", "test"
	o.Ready = func(url string) { ready <- url }
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	go func() { ended <- Serve(ctx, o) }()
	s := &site{t: t}
	s.stop = func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the service ended with %v", err)
			}
			ended <- nil
		case <-time.After(20 * time.Second):
			t.Error("the service did not end")
		}
	}
	select {
	case s.url = <-ready:
	case err := <-ended:
		cancel()
		t.Fatalf("the service did not start: %v", err)
	case <-time.After(20 * time.Second):
		cancel()
		t.Fatal("the service did not start within 20 s")
	}
	t.Cleanup(s.stop)
	return s
}

func (s *site) get(path string) (status int, body string) {
	s.t.Helper()
	resp, err := http.Get(strings.TrimSuffix(s.url, "/") + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func (s *site) incidents(query string) []store.Incident {
	s.t.Helper()
	status, body := s.get("/api/v1/incidents" + query)
	var out struct{ Incidents []store.Incident }
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusOK {
		s.t.Fatalf("incidents: %d %v\n%s", status, err, body)
	}
	return out.Incidents
}

// until polls f until it is true.
func until(t *testing.T, within time.Duration, what string, f func() bool) time.Duration {
	t.Helper()
	begun := time.Now()
	for !f() {
		if time.Since(begun) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return time.Since(begun)
}

// taped is the recording of a fixture as a live cluster whose stall comes lead
// after the start.
func taped(t *testing.T, fixture, cluster string, onset, lead time.Duration) Feed {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "runbooks", fixture))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	batches, problems, err := replay.Read(replay.File{Name: fixture, R: f})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	tape, err := replay.NewTape(batches, replay.TapeOptions{Cluster: cluster, Onset: onset, Lead: lead})
	if err != nil {
		t.Fatal(err)
	}
	history, run := tape.Start(time.Now())
	return Feed{Refs: tape.Refs(), History: history, Run: run}
}

func emptyConfig(t *testing.T) *config.Config {
	return &config.Config{Listen: "127.0.0.1:0", Database: filepath.Join(t.TempDir(), "stallbook.db")}
}

func instancePath(ref store.Ref) string {
	return fmt.Sprintf("/clusters/%s/%s", ref.Cluster, ref.Instance)
}
