package server

import (
	"testing"
	"time"

	"stallbook/server/config"
	"stallbook/server/lab"
	"stallbook/store"
)

// labCluster starts a real primary with a synchronous standby and the
// configuration that polls them.
func labCluster(t *testing.T) (primary, standby *lab.Server, cfg *config.Config) {
	t.Helper()
	bin, err := lab.FindMajor(17)
	if err != nil {
		t.Fatalf("PostgreSQL 17 is needed: %v", err)
	}
	primary, err = lab.StartPrimary(t.Context(), lab.Options{Binaries: bin, Checksums: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { primary.Close() })
	standby, err = primary.AddStandby(t.Context(), "lab-2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := lab.MakeSync(t.Context(), primary, standby); err != nil {
		t.Fatal(err)
	}
	cfg = emptyConfig(t)
	cfg.Clusters = []config.Cluster{{Name: "lab", Instances: []config.Instance{
		{Name: "lab-1", Postgres: config.NewSecret(primary.DSN("postgres"), "lab-1"), Latency: config.Latency{Kind: config.LatencyProbe, ProbeEvery: 200 * time.Millisecond}},
		{Name: "lab-2", Postgres: config.NewSecret(standby.DSN("postgres"), "lab-2"), Latency: config.Latency{Kind: config.LatencyNone}},
	}}}
	return primary, standby, cfg
}

// TestSyncOutageLive makes the deterministic outage on real servers and sees it
// opened within five seconds, and closed after it heals.
func TestSyncOutageLive(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	primary, standby, cfg := labCluster(t)
	s := start(t, Options{Config: cfg})
	traffic := lab.StartTraffic(t.Context(), primary, 4, 100*time.Millisecond)
	defer traffic.Stop()
	time.Sleep(3 * time.Second)
	if open := s.incidents("?state=open"); len(open) != 0 {
		t.Fatalf("open before anything happened: %+v", open)
	}
	heal, err := lab.SyncOutage(t.Context(), primary, standby)
	if err != nil {
		t.Fatal(err)
	}
	took := until(t, 5*time.Second, "sync-standby-lost opens", func() bool {
		for _, in := range s.incidents("?state=open") {
			if in.Runbook == "sync-standby-lost" && in.Severity == store.Outage {
				return true
			}
		}
		return false
	})
	t.Logf("opened %v after the outage", took.Round(10*time.Millisecond))
	if err := heal(t.Context()); err != nil {
		t.Fatal(err)
	}
	took = until(t, 30*time.Second, "the incident closes", func() bool { return len(s.incidents("?state=open")) == 0 })
	t.Logf("closed %v after it healed", took.Round(10*time.Millisecond))
	all := s.incidents("")
	if len(all) != 1 {
		t.Errorf("one outage made %d incidents: %+v", len(all), all)
	}
}
