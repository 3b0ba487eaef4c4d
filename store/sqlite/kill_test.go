package sqlite

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// childPath names the history file of the child process of TestKillLosesLittle.
const childPath = "STALLBOOK_TEST_HISTORY"

// appendForEver is the child: a sample every 50 ms at its own second of a clock
// that runs twenty times as fast, an incident now and then, until it is killed.
func appendForEver(path string) {
	start := time.Now()
	clock := func() time.Time { return day.Add(time.Since(start) * 20).Truncate(time.Second) }
	db, err := Open(context.Background(), path, Options{Clock: clock})
	if err != nil {
		panic(err)
	}
	sec := 0
	for range time.Tick(50 * time.Millisecond) {
		db.Append(batch("postgres", day.Add(time.Duration(sec)*time.Second), time.Second, gauge(active, int64(sec)), gauge(tps, 100)))
		if sec%20 == 0 {
			id := strconv.Itoa(sec/20 + 1)
			if err := db.SaveIncident(store.Incident{ID: id, Cluster: ref.Cluster, Instance: ref.Instance, State: store.StateOpen, OpenedAt: day}); err == nil {
				os.Stdout.WriteString("incident " + id + "\n")
			}
		}
		os.Stdout.WriteString("second " + strconv.Itoa(sec) + "\n")
		sec++
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		appendForEver(path)
	}
	os.Exit(m.Run())
}

// killAfter runs the child, kills it, and returns the last second it appended
// and the last incident it was told is safe.
func killAfter(t *testing.T, path string, d time.Duration) (second, incident int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { cmd.Process.Kill() })
	defer timer.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
			t.Fatal(lines.Text())
		case word == "second":
			second = n
		default:
			incident = n
		}
	}
	cmd.Wait()
	return second, incident
}

func TestKillLosesLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	for _, d := range []time.Duration{2300 * time.Millisecond, 3900 * time.Millisecond} {
		os.Remove(path)
		os.Remove(path + "-wal")
		os.Remove(path + "-shm")
		appended, incident := killAfter(t, path, d)
		c := &fakeClock{now: day.Add(time.Minute)}
		db := openAt(t, path, c, store.Retention{})
		if n := one(t, db.w, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); n != 0 {
			t.Errorf("integrity_check has %d complaints", n)
		}
		_, got := rangeOf(t, db, "pg.active", "", day, day.Add(time.Hour), 0)
		kept := -1
		for _, b := range got {
			if b.Gap {
				continue
			}
			kept++
			if b.AtMs != day.UnixMilli()+int64(kept)*1000 || b.Min != float64(kept) {
				t.Fatalf("second %d came back as %+v", kept, b)
			}
		}
		// 40 samples are two seconds of the child's life.
		if missing := appended - kept; appended < 20 || missing > 40 {
			t.Errorf("of %d seconds %d are there, two seconds of wall time may be missing", appended, kept)
		}
		if _, err := db.Incident(t.Context(), strconv.Itoa(incident)); err != nil || incident == 0 {
			t.Errorf("incident %d, which was reported as saved: %v", incident, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
