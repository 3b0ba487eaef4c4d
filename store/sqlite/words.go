package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"stallbook/store"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// resultCode is SQLite's primary result code of an error, 0 when it is not
// SQLite's.
func resultCode(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isDiskTrouble reports whether trying again later may help. Only what SQLite
// calls a mistake of the statement itself is none: everything else is kept.
func isDiskTrouble(err error) bool {
	if err == nil {
		return false
	}
	switch resultCode(err) {
	case lib.SQLITE_ERROR, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH, lib.SQLITE_TOOBIG, lib.SQLITE_RANGE, lib.SQLITE_MISUSE:
		return false
	}
	return true
}

// isPassing reports whether a disk that refused a write may accept it later
// without anybody touching the configuration.
func isPassing(err error) bool {
	code := resultCode(err)
	return code == lib.SQLITE_FULL || code == lib.SQLITE_IOERR
}

// inWords says why the history can't be written and what mends it.
func inWords(err error, path string) string {
	dir := filepath.Dir(path)
	code := resultCode(err)
	var e *driver.Error
	if errors.As(err, &e) && e.Code() == lib.SQLITE_IOERR_SHMSIZE {
		code = lib.SQLITE_FULL // no room for the few pages that readers share
	}
	switch code {
	case lib.SQLITE_FULL:
		return fmt.Sprintf("the disk that holds %s is full: free space there or lower retention; recording resumes by itself", path)
	case lib.SQLITE_IOERR:
		return fmt.Sprintf("the disk that holds %s fails to read or write (%v): see the kernel log of this machine; recording resumes by itself", path, err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return fmt.Sprintf("%s can't be written: give this user write permission on the file and on %s, and see whether the file system is mounted read-only", path, dir)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Sprintf("another program holds a lock on %s: stop it; only one stallbook may use a file", path)
	case lib.SQLITE_CORRUPT:
		return fmt.Sprintf("%s is damaged: stop stallbook, move the file away and start again, or restore a copy", path)
	case lib.SQLITE_NOTADB:
		return fmt.Sprintf("%s is not a SQLite file: name another file under database:, or move this one away", path)
	case lib.SQLITE_CANTOPEN:
		return fmt.Sprintf("%s can't be opened: see that the folder %s exists and that this user may write in it", path, dir)
	}
	return fmt.Sprintf("the history file %s can't be written: %v", path, err)
}

// openProblem turns an error of Open into a sentence.
func openProblem(err error, path string) error {
	var p *store.Problem
	if errors.As(err, &p) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) {
		return &store.Problem{Code: "unavailable", Cause: err, Message: fmt.Sprintf(
			"%s can't be opened: this user may not read and write it", path)}
	}
	return &store.Problem{Code: "unavailable", Message: inWords(err, path), Cause: err}
}
