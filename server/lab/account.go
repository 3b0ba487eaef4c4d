package lab

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// account is the user the servers run as. PostgreSQL refuses root, so root
// lends them an unprivileged one.
type account struct {
	switched bool // false: the servers run as whoever we are
	uid, gid int
}

func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"nobody", "postgres"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return account{true, uid, gid}, nil
		}
	}
	return account{}, fmt.Errorf("PostgreSQL refuses to run as root, and this machine has no user nobody or postgres: run as an ordinary user")
}

// own gives a file or folder to the account.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// ownTree gives a folder and all it holds to the account.
func (a account) ownTree(root string) error {
	if !a.switched {
		return nil
	}
	return filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, a.uid, a.gid)
	})
}

// reaches reports whether the account may enter every folder on the way to
// path. A checkout below /root is the usual case where it may not.
func (a account) reaches(path string) bool {
	if !a.switched {
		return true
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o005 != 0o005 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// reachable returns b, or a copy of its whole installation under dir when the
// servers' user can't reach the original.
func (a account) reachable(b Binaries, dir string) (Binaries, error) {
	if a.reaches(b.Dir) {
		return b, nil
	}
	home, err := filepath.EvalSymlinks(filepath.Dir(b.Dir))
	if err != nil {
		return b, err
	}
	if strings.Count(home, "/") < 2 {
		return b, fmt.Errorf("%s can't be read by the unprivileged user the server runs as, and is too much to copy", b.Dir)
	}
	to := filepath.Join(dir, "pg"+strconv.Itoa(b.Major))
	if _, err := os.Stat(to); err != nil {
		if err := copyTree(home, to, nil); err != nil {
			return b, fmt.Errorf("copying %s to where the server's user can read it: %w", home, err)
		}
		if err := a.ownTree(to); err != nil {
			return b, err
		}
	}
	b.Dir = filepath.Join(to, filepath.Base(b.Dir))
	return b, nil
}
