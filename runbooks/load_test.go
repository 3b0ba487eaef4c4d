package runbooks

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"stallbook/store/strict"
)

func dir(name string) Dir { return Dir{"testdata/" + name, os.DirFS("testdata/" + name)} }

func TestUsersFolderAddsAndOverrides(t *testing.T) {
	lib, err := Load(Builtin(), dir("good"))
	if err != nil {
		t.Fatal(err)
	}
	own, ok := lib.Get("nfs-stall")
	if !ok || own.Builtin || own.Overrides {
		t.Fatalf("nfs-stall: %+v %t", own, ok)
	}
	over, _ := lib.Get("wal-pool-stall")
	if over.Builtin || !over.Overrides || over.Title != "Commits wait for a slow file server" {
		t.Errorf("wal-pool-stall is %q, builtin %t, overrides %t", over.Title, over.Builtin, over.Overrides)
	}
	if len(lib.Slugs()) != 9 || len(lib.Signatures()) != 9 || lib.Signatures()[2].Slug != "nfs-stall" {
		t.Errorf("slugs %v", lib.Slugs())
	}
	last := own.Sections[len(own.Sections)-1]
	if last.ID != "our-own-notes" || !strings.Contains(last.HTML, "<table>") || !strings.Contains(last.Text, "| 1 | 2 |") {
		t.Errorf("last section %+v", last)
	}
	if own.Sections[0].ID != "symptom" || own.Sections[3].ID != "stop" || len(own.Brief) != 3 || own.LookAlike[0].Slug != "wal-pool-stall" {
		t.Errorf("page %+v", own)
	}
	step, ok := own.Step("wal-waits")
	if !ok || step.Risk != "read" || step.Expect.Op != ">=" || !strings.HasPrefix(step.SQL, "SELECT count(*)") {
		t.Errorf("step %+v", step)
	}
	for _, f := range Lint(lib) {
		if strings.HasPrefix(f.File, "testdata/good/nfs-stall") {
			t.Error(f)
		}
	}
}

func TestFixturesAreOpenedByName(t *testing.T) {
	lib, err := Load(Builtin(), dir("good"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := lib.OpenFixture("nfs-stall/slow.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if g, err := lib.OpenFixture("wal-pool-stall/wal-segment-creation.jsonl"); err != nil {
		t.Errorf("a recording of the overridden runbook: %v", err)
	} else {
		g.Close()
	}
	b, err := io.ReadAll(f)
	if err != nil || !strings.Contains(string(b), "pg.wait.wal") {
		t.Errorf("%q %v", b, err)
	}
	for _, name := range []string{"nfs-stall", "nope/slow.jsonl", "", "nfs-stall/none.jsonl", "nfs-stall/../page.md"} {
		if _, err := lib.OpenFixture(name); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}

func TestListIsBySeverity(t *testing.T) {
	lib, err := Load(Builtin())
	if err != nil {
		t.Fatal(err)
	}
	list := lib.List()
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if a.Severity.Rank() < b.Severity.Rank() || a.Severity == b.Severity && a.Title > b.Title {
			t.Errorf("%s (%s) stands before %s (%s)", a.Title, a.Severity, b.Title, b.Severity)
		}
	}
	if _, ok := lib.Get("no-such"); ok || len(list) < 6 {
		t.Errorf("%d runbooks", len(list))
	}
}

// TestEveryProblemIsReported: all of a folder's mistakes in one go, each with
// file, line and the nearest valid word.
func TestEveryProblemIsReported(t *testing.T) {
	lib, err := Load(Builtin(), dir("bad"))
	var found strict.Problems
	if !errors.As(err, &found) {
		t.Fatalf("%v is no list of problems", err)
	}
	if _, ok := lib.Get("autovacuum-stall"); !ok || len(lib.list) != 8 {
		t.Errorf("the good runbooks are not there: %v", lib.Slugs())
	}
	got := err.Error()
	for _, want := range []string{
		`testdata/bad/typo-keys/page.md:3: unknown key "severty"; did you mean "severity"?`,
		`testdata/bad/typo-keys/signature.yaml:`, `the nearest is "pg.wait.wal"`,
		`testdata/bad/typo-keys/steps.yaml:3: unknown key "steps[0].knd"; did you mean "kind"?`,
		`testdata/bad/typo-keys/steps.yaml:24: unknown key "steps[2].expect.colum"; did you mean "column"?`,
		`testdata/bad/wrong-values/page.md:1: title is missing`,
		`testdata/bad/wrong-values/page.md:2: severity "stal" is none of outage, stall, degraded, risk; did you mean stall?`,
		`testdata/bad/wrong-values/page.md:4: reviewed "last week" is no date`,
		`testdata/bad/wrong-values/steps.yaml:3: step "wal-waits": kind "chek" is none of check, fix, verify; did you mean check?`,
		`testdata/bad/wrong-values/steps.yaml:5: step "wal-waits": on "primry" is none of primary, standby, instance; did you mean primary?`,
		`testdata/bad/wrong-values/steps.yaml:6: there is no sql/wal-wait.sql in this folder; did you mean wal-waits.sql?`,
		`testdata/bad/wrong-values/steps.yaml:7: step "wal-waits": op "=>" is none of`,
		`testdata/bad/wrong-values/steps.yaml:17: step "remount": risk "disruptiv" is none of`,
		`testdata/bad/wrong-values/steps.yaml:18: step "remount": there is no verify step "waits-gon"`,
		`testdata/bad/wrong-values/steps.yaml:19: step id "wal-waits" is used twice`,
		`testdata/bad/half/page.md:1: the page must begin with front matter`,
		`testdata/bad/half/signature.yaml:1: cannot read it: it does not exist`,
		`testdata/bad/half/steps.yaml:1: cannot read it: it does not exist`,
		`testdata/bad/Upper_Case:1: the folder name "Upper_Case" can't be a slug`,
		`testdata/bad/headings/page.md:14: there is text before the first heading`,
		`testdata/bad/headings/page.md:20: section "What you see" stands twice`,
		`testdata/bad/headings/page.md:24: write a heading as`,
		`testdata/bad/headings/steps.yaml:1: steps is empty`,
		`testdata/bad/headings/fixtures/expect.yaml:1: unknown key "mach"; did you mean "match"?`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log("got:\n" + got)
	}
}

func TestEmptyAndMissingFolders(t *testing.T) {
	for name, d := range map[string]Dir{
		"no runbook here":        {"ours", fstest.MapFS{"README": {}}},
		"cannot read the folder": {"ours", os.DirFS("testdata/none")},
	} {
		if _, err := Load(Builtin(), d); err == nil || !strings.Contains(err.Error(), "ours:1: "+name) {
			t.Errorf("%v; want %q", err, name)
		}
	}
}

// TestHashFollowsContent: a run names the page it was read from.
func TestHashFollowsContent(t *testing.T) {
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS("testdata/good"), "nfs-stall", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(os.DirFS("testdata/good"), p)
		files[p] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	hash := func() string {
		lib, err := Load(Builtin(), Dir{"x", files})
		if err != nil {
			t.Fatal(err)
		}
		book, _ := lib.Get("nfs-stall")
		return book.Hash
	}
	before := hash()
	files["nfs-stall/fixtures/slow.jsonl"].Data = []byte("{}\n")
	if hash() != before {
		t.Error("a recording changes the hash")
	}
	files["nfs-stall/sql/wal-waits.sql"].Data = []byte("SELECT 1 AS waiting")
	if hash() == before {
		t.Error("a changed statement keeps the hash")
	}
}
