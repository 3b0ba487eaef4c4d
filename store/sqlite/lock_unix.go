//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"stallbook/store"
)

// lock keeps a second program off the file for as long as this one runs. The
// kernel lets go of it when the process ends, however it ends. A lock file that
// can't be made is no reason not to start: what is wrong with the folder shows
// when the database is opened.
func lock(path string) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // two names of one file are one file
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &store.Problem{Code: "conflict", Message: fmt.Sprintf(
			"another stallbook keeps its history in %s: stop it, or name another file under database:", path)}
	}
	return f, nil
}
