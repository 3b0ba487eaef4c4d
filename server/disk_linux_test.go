package server

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// smallDisk is a file system of its own, so that it can be filled for real.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a file system can't be mounted here (%v), so the full disk is not tried", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// fill takes all the space that is left with one file and names it.
func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 1<<12)
	for {
		if _, err := f.Write(block); err != nil {
			return f.Name()
		}
	}
}
