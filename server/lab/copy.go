package lab

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copyTree copies a folder with its modes and links. Files that vanish on the
// way are left out: a running server's folder is copied too. skip is asked with
// each path relative to the root and may leave out a file or a whole folder.
func copyTree(from, to string, skip func(rel string) bool) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p != from {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if skip != nil && skip(rel) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		err = copyEntry(p, filepath.Join(to, rel), d)
		if errors.Is(err, fs.ErrNotExist) && p != from {
			return nil
		}
		return err
	})
}

func copyEntry(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case d.IsDir():
		if err := os.MkdirAll(to, info.Mode().Perm()|0o700); err != nil {
			return err
		}
		return os.Chmod(to, info.Mode().Perm())
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case d.Type().IsRegular():
		return copyFile(from, to, info.Mode().Perm())
	}
	return nil // sockets have no place in a copy
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
