package runbooks

import "testing"

func TestBuiltinLibraryIsClean(t *testing.T) {
	lib, err := Load(Builtin())
	if err != nil {
		t.Fatalf("loading:\n%v", err)
	}
	for _, f := range Lint(lib) {
		t.Error(f)
	}
	want := []string{"autovacuum-stall", "recovery-prefetch", "storage-hydration", "sync-standby-lost", "unexplained-stall", "wal-pool-stall"}
	for _, slug := range want {
		book, ok := lib.Get(slug)
		if !ok || !book.Builtin || book.Overrides || len(book.Hash) != 12 {
			t.Errorf("%s: got %v, builtin and hash %+v", slug, ok, book)
		}
	}
}
