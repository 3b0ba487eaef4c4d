package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestForeignDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "theirs.db")
	theirs, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Exec("CREATE TABLE bookmarks (url text)"); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path, Options{})
	if err == nil {
		db.Close()
		t.Fatal("it was opened")
	}
	if !strings.Contains(err.Error(), "another program") {
		t.Errorf("says %q", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("it was changed")
	}
}

func TestOneProgramAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stallbook.db")
	first, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Open(t.Context(), path, Options{}); err == nil {
		second.Close()
		t.Error("a second program opened it")
	} else if !strings.Contains(err.Error(), "another stallbook") {
		t.Errorf("says %q", err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if second, err := Open(t.Context(), link, Options{}); err == nil {
		second.Close()
		t.Error("a second program opened it by another name")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatalf("after the first ended: %v", err)
	}
	third.Close()
}
