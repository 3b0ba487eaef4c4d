package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

func TestClusterShowsWhoStreams(t *testing.T) {
	w := newWorld(t)
	w.minute(primary, store.RolePrimary, map[string]float64{"pg.sync.required": 1, "pg.sync.streaming": 1, "pg.wal_kib_s": 2048, "pg.wait.sync_rep": 0})
	w.minute(standby, store.RoleStandby, map[string]float64{"pg.walreceiver_up": 1, "pg.receive_kib_s": 2048, "pg.replay_kib_s": 1900, "pg.replay_lag_kib": 300, "pg.replay_lag_s": 0.3})
	p := w.page("/clusters/orders")
	for _, want := range []string{"a commit waits for 1 standby, one can acknowledge", "writes 2 MiB/s of WAL", "standby, streaming at 2 MiB/s", "left to replay 300 KiB, 0.30 s behind", "orders: all 2 instances are ok."} {
		if !strings.Contains(p, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(p, "node-broken") {
		t.Error("a standby that streams is drawn as broken")
	}
}

func TestClusterShowsABrokenStandby(t *testing.T) {
	w := newWorld(t)
	w.list = []store.Incident{open()}
	w.minute(primary, store.RolePrimary, map[string]float64{"pg.sync.required": 1, "pg.sync.streaming": 0, "pg.wait.sync_rep": 4})
	w.minute(standby, store.RoleStandby, map[string]float64{"pg.walreceiver_up": 0})
	p := w.page("/clusters/orders")
	for _, want := range []string{"none can acknowledge", "4 commits wait for a standby", "standby, receives no WAL", "node-broken", "lag not known: ", "orders: one of two instances is in trouble."} {
		if !strings.Contains(p, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Not heard of is not broken, and what a role may not see comes with the GRANT.
func TestClusterSaysWhatItCantSee(t *testing.T) {
	w := newWorld(t)
	w.window.Push(store.Batch{Ref: standby, Source: "postgres", At: noon, Role: store.RoleStandby,
		Notes: []string{"Other sessions are hidden from this role. Run: GRANT pg_monitor TO stallbook;"}})
	p := w.page("/clusters/orders")
	if strings.Contains(p, "node-broken") || !strings.Contains(p, "whether it streams is not known") {
		t.Error("a standby not heard of is drawn as broken")
	}
	if !strings.Contains(p, "GRANT pg_monitor TO stallbook;") {
		t.Error("the GRANT is not shown")
	}
}

func TestUnknownClusterNamesTheNearest(t *testing.T) {
	a := ask(t, newWorld(t).server(Site{}).Handler(), "GET", "/clusters/ordrs", "")
	if a.StatusCode != http.StatusNotFound || !strings.Contains(a.text, "Did you mean &#34;orders&#34;?") {
		t.Errorf("%s", a.Status)
	}
}

func TestClusterPartIsTheElementOfThePage(t *testing.T) {
	w := newWorld(t)
	part := w.page("/fragments/clusters/orders")
	if strings.Contains(part, "<html") || !strings.Contains(part, `id="cluster"`) {
		t.Error("the part is not the element that the page replaces")
	}
	w.now = noon.Add(time.Second)
	if w.page("/fragments/clusters/orders") == part {
		t.Error("the ages do not move")
	}
}
