package lab_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stallbook/server/lab"
)

func TestFindListsEachInstallationOnce(t *testing.T) {
	found, err := lab.Find()
	if errors.Is(err, lab.ErrNoBinaries) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]bool{}
	for i, b := range found {
		if dirs[b.Dir] {
			t.Errorf("%s is listed twice", b.Dir)
		}
		dirs[b.Dir] = true
		if i > 0 && b.Major > found[i-1].Major {
			t.Errorf("%d comes after %d", b.Major, found[i-1].Major)
		}
		if _, err := os.Stat(filepath.Join(b.Dir, "initdb")); err != nil {
			t.Error(err)
		}
	}
}

func TestFindPrefersTheVariableAndSaysWhenItIsWrong(t *testing.T) {
	all, err := lab.Find()
	if err != nil {
		t.Skip(err)
	}
	oldest := all[len(all)-1]
	t.Setenv(lab.EnvBin, oldest.Dir)
	if got, err := lab.Find(); err != nil || got[0].Dir != oldest.Dir {
		t.Errorf("got %+v, %v; want %s first", got, err, oldest.Dir)
	}
	t.Setenv(lab.EnvBin, "/nowhere")
	if _, err := lab.Find(); err == nil || !strings.Contains(err.Error(), lab.EnvBin+"=/nowhere") {
		t.Errorf("err %v, want the variable in it", err)
	}
}

func TestFindMajorNamesWhatThereIs(t *testing.T) {
	if _, err := lab.Find(); err != nil {
		t.Skip(err)
	}
	if _, err := lab.FindMajor(9); err == nil || !strings.Contains(err.Error(), "no PostgreSQL 9 server programs") {
		t.Errorf("err %v", err)
	}
}
