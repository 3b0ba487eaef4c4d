package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stallbook/store"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	notSQLite := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notSQLite, []byte(strings.Repeat("these are notes, no database\n", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.db")
	c := &fakeClock{now: day}
	if err := openAt(t, newer, c, store.Retention{}).Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	raw.Close()
	for path, words := range map[string]string{
		notSQLite:                                "is not a SQLite file",
		filepath.Join(dir, "no", "such", "f.db"): "see that the folder " + filepath.Join(dir, "no", "such") + " exists",
		newer:                                    "was written by a newer stallbook",
		dir:                                      "can't be opened",
	} {
		db, err := Open(t.Context(), path, Options{Clock: c.Now, Log: quiet()})
		if err == nil {
			db.Close()
			t.Errorf("%s was opened", path)
			continue
		}
		var p *store.Problem
		if !errors.As(err, &p) || !strings.Contains(p.Message, words) || !strings.Contains(p.Message, path) {
			t.Errorf("%s: %v; want a problem with %q", path, err, words)
		}
	}
}

func TestOpenRefusesWhatItCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	c := &fakeClock{now: day}
	if err := openAt(t, path, c, store.Retention{}).Close(); err != nil {
		t.Fatal(err)
	}
	mount := readOnlyCopy(t, path)
	db, err := Open(t.Context(), mount, Options{Clock: c.Now, Log: quiet()})
	if err == nil {
		db.Close()
		t.Fatal("a file on a read-only file system was opened")
	}
	if !strings.Contains(err.Error(), mount) || !strings.Contains(err.Error(), "mounted read-only") && !strings.Contains(err.Error(), "may write") {
		t.Errorf("%v does not say what to do", err)
	}
}

func TestPathsWithOddNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20e")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "h&i=j.db")
	db := openAt(t, path, &fakeClock{now: day}, store.Retention{})
	db.Append(batch("postgres", day, time.Second, gauge(active, 1)))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestMigrationsRunOnceInOrderAndWhole(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "m.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	files := fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (1);")},
		"0002_b.sql": {Data: []byte("INSERT INTO a SELECT n + 1 FROM a; CREATE TABLE b (n INTEGER);")},
	}
	for range 2 {
		if err := migrate(t.Context(), db, "m.db", files); err != nil {
			t.Fatal(err)
		}
	}
	if n := one(t, db, "SELECT sum(n) FROM a"); n != 3 {
		t.Errorf("the sum is %d, want 3: each file once", n)
	}
	files["0003_bad.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO a VALUES (100); INSERT INTO nowhere VALUES (1);")}
	err = migrate(t.Context(), db, "m.db", files)
	if err == nil || !strings.Contains(err.Error(), "0003_bad.sql") {
		t.Errorf("a bad migration gave %v", err)
	}
	if n := one(t, db, "SELECT sum(n) FROM a"); n != 3 {
		t.Errorf("half of a bad migration stayed: the sum is %d", n)
	}
	if v := one(t, db, "PRAGMA user_version"); v != 2 {
		t.Errorf("user_version is %d, want 2", v)
	}
	if err := migrate(t.Context(), db, "m.db", fstest.MapFS{"0001_a.sql": files["0001_a.sql"]}); err == nil {
		t.Error("a file at step 2 was accepted by a program that knows one step")
	}
}

func TestPragmas(t *testing.T) {
	db, _ := openNew(t, day)
	for name, want := range map[string]int64{"auto_vacuum": 2, "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000} {
		if got := one(t, db.w, "PRAGMA "+name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	var mode string
	if err := db.w.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal_mode is %s, %v", mode, err)
	}
	if _, err := db.r.Exec("DELETE FROM mark"); err == nil {
		t.Error("the read pool can write")
	}
}
