package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stallbook/store"
)

// smallDisk mounts a tmpfs of some size.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small disk needs the right to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// readOnlyCopy puts a file on a disk that is then made read-only.
func readOnlyCopy(t *testing.T, path string) string {
	t.Helper()
	dir := smallDisk(t, "size=4m")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "history.db")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("a read-only disk needs the right to mount: %v", err)
	}
	return copied
}

// A disk that fills up stops the history and nothing else; when there is room
// again everything that was kept in memory is written.
func TestFullDiskStopsHistoryAndRecovers(t *testing.T) {
	dir := smallDisk(t, "size=2m")
	c := &fakeClock{now: day}
	path := filepath.Join(dir, "history.db")
	db := openAt(t, path, c, store.Retention{})
	defer db.Close()
	if h := db.Health(); !h.OK || h.Bytes == 0 || !h.Since.Equal(day) {
		t.Fatalf("a new file: %+v", h)
	}
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	sec := 0
	for ; db.Health().OK && sec < 3000; sec++ {
		at := day.Add(time.Duration(sec) * time.Second)
		c.set(at)
		db.Append(batch("postgres", at, time.Second, gauge(active, int64(sec))))
		db.Flush(t.Context())
	}
	h := db.Health()
	if h.OK || !strings.Contains(h.Message, "is full: free space") || !strings.Contains(h.Message, path) {
		t.Fatalf("after %d commits on a full disk: %+v", sec, h)
	}
	if !h.Since.Equal(c.Now()) {
		t.Errorf("full since %v, it is %v", h.Since, c.Now())
	}
	checkSavesWhileFull(t, db)
	c.set(c.Now().Add(5 * time.Second))
	db.Flush(t.Context())
	if later := db.Health(); later.OK || !later.Since.Equal(h.Since) {
		t.Errorf("still full, but %+v", later)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	c.set(c.Now().Add(lastRetry))
	deadline := time.Now().Add(10 * time.Second)
	for !db.Health().OK && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond) // the writer comes back by itself
	}
	if h := db.Health(); !h.OK || h.Message != "" || h.Dropped != 0 {
		t.Fatalf("with room again: %+v", h)
	}
	checkAfterFull(t, db, c, path, sec)
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 16, 1 << 12} {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

func checkSavesWhileFull(t *testing.T, db *DB) {
	t.Helper()
	begin := time.Now()
	for _, state := range []store.State{store.StateOpen, store.StateClearing} {
		err := db.SaveIncident(store.Incident{ID: "7", Cluster: "orders", State: state, OpenedAt: day})
		if err == nil || !strings.Contains(err.Error(), "kept in memory") {
			t.Errorf("a save on a full disk: %v", err)
		}
	}
	if err := db.SaveRun(store.StepRun{ID: "r1", Incident: "7", At: day}); err == nil {
		t.Error("a run was saved on a full disk")
	}
	if took := time.Since(begin); took > saveDeadline {
		t.Errorf("saves on a full disk took %v", took)
	}
	if in, err := db.Incident(t.Context(), "7"); err != nil || in.State != store.StateClearing {
		t.Errorf("the incident in memory: %+v, %v", in, err)
	}
}

func checkAfterFull(t *testing.T, db *DB, c *fakeClock, path string, seconds int) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, path, c, store.Retention{})
	defer again.Close()
	if in, err := again.Incident(t.Context(), "7"); err != nil || in.State != store.StateClearing {
		t.Errorf("after the restart: %+v, %v", in, err)
	}
	if runs, err := again.Runs(t.Context(), "7", store.Ref{}, 0); err != nil || len(runs) != 1 {
		t.Errorf("after the restart: %d runs, %v", len(runs), err)
	}
	_, got := rangeOf(t, again, "pg.active", "", day, day.Add(time.Duration(seconds-1)*time.Second), 0)
	for i, b := range got {
		if b.Gap || b.Min != float64(i) {
			t.Fatalf("second %d is %+v", i, b)
		}
	}
	if len(got) != seconds {
		t.Errorf("%d of %d seconds are there", len(got), seconds)
	}
}

// A program that starts on a full disk runs, says so, and records once there is room.
func TestStartOnFullDisk(t *testing.T) {
	dir := smallDisk(t, "size=2m")
	path, filler := filepath.Join(dir, "history.db"), filepath.Join(dir, "filler")
	c := &fakeClock{now: day}
	if err := openAt(t, path, c, store.Retention{}).Close(); err != nil {
		t.Fatal(err)
	}
	keepRoom := filepath.Join(dir, "room") // for the pages that readers share
	if err := os.WriteFile(keepRoom, make([]byte, 40<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	fill(t, filler)
	if _, err := Open(t.Context(), path, Options{Clock: c.Now, Log: quiet()}); err != nil && !strings.Contains(err.Error(), "is full: free space") {
		t.Errorf("with no room at all: %v", err)
	}
	if err := os.Remove(keepRoom); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path, c, store.Retention{})
	defer db.Close()
	db.Append(batch("postgres", day, time.Second, gauge(active, 1)))
	for i := range 40 { // what little room there is fills up
		b := batch("postgres", at(i), time.Second)
		b.Facts = map[string]string{"pg.setting.x": strings.Repeat(string(rune('a'+i)), 4000)}
		db.Append(b)
		db.Flush(t.Context())
	}
	if h := db.Health(); h.OK || !strings.Contains(h.Message, "is full: free space") {
		t.Errorf("%+v", h)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	flush(t, db)
	if h := db.Health(); !h.OK {
		t.Errorf("with room again: %+v", h)
	}
	if _, got := rangeOf(t, db, "pg.active", "", day, day, 0); len(got) != 1 || got[0].Min != 1 {
		t.Errorf("%+v", got)
	}
}

// The queue is bounded: what does not fit is counted, and Append returns at once.
func TestQueueDropsAndCounts(t *testing.T) {
	var q queue
	q.init()
	big := store.Batch{Samples: make([]store.Sample, maxQueuedSamples/4)}
	q.put([]store.Batch{big, big, big, big, big, big})
	if q.refused() != 2 || len(q.take()) != 4 {
		t.Errorf("refused %d of 6, four fit", q.refused())
	}
	q.put([]store.Batch{big})
	if len(q.take()) != 1 || q.refused() != 2 {
		t.Error("an emptied queue does not take batches again")
	}
	if ticks := maxQueuedSamples / (1000 * simSignals); ticks < 60 {
		t.Errorf("the queue holds %d ticks of a thousand instances, want 60", ticks)
	}
}

func TestRetriesComeLessAndLessOften(t *testing.T) {
	var h health
	h.init(day)
	var waits []time.Duration
	for range 8 {
		h.end(day, "broken")
		waits = append(waits, h.wait)
	}
	if waits[0] != firstRetry || waits[1] != 2*firstRetry || waits[7] != lastRetry || h.mayTry(day.Add(lastRetry-1)) || !h.mayTry(day.Add(lastRetry)) {
		t.Errorf("pauses %v", waits)
	}
	if !h.end(day.Add(time.Hour), "") || !h.good() || !h.mayTry(day) {
		t.Error("a success does not end the pause")
	}
}

func TestHangingDiskIsSeen(t *testing.T) {
	db, c := openNew(t, day)
	db.state.begin(day)
	c.set(day.Add(hangAfter + time.Second))
	if h := db.Health(); h.OK || !strings.Contains(h.Message, "has not answered since 00:00:00") || !h.Since.Equal(day) {
		t.Errorf("%+v", h)
	}
}
