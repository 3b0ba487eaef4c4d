package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// EnvBin names the environment variable that points at a folder with initdb and
// postgres; what it names is preferred to everything found elsewhere.
const EnvBin = "STALLBOOK_PG_BIN"

// Binaries is one installation of PostgreSQL on this machine.
type Binaries struct {
	Dir     string // holds initdb and postgres
	Version string // "17.10"
	Major   int    // 17
	Origin  string // where it was found: EnvBin, "npm", "system" or "PATH"
}

// ErrNoBinaries says how to get a PostgreSQL that lab can start.
var ErrNoBinaries = errors.New("no PostgreSQL server programs found: run `npm ci` in the repository, install Debian's postgresql package, or set " + EnvBin + " to the folder that holds initdb and postgres")

// Find returns every installation it can start: what EnvBin names first, then
// the newest version, one for each version and origin (the packager's build of a
// version is not npm's). ErrNoBinaries when there is none.
func Find() ([]Binaries, error) {
	var found []Binaries
	for _, c := range candidates() {
		b, err := probe(c.dir, c.origin)
		if err != nil && c.origin == EnvBin {
			return nil, fmt.Errorf("%s=%s: %w", EnvBin, c.dir, err)
		}
		same := func(o Binaries) bool { return o.Dir == b.Dir || o.Version == b.Version && o.Origin == b.Origin }
		if err == nil && !slices.ContainsFunc(found, same) {
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		return nil, ErrNoBinaries
	}
	slices.SortStableFunc(found, func(a, b Binaries) int {
		return cmp.Or(boolOrder(a.Origin == EnvBin, b.Origin == EnvBin), b.Major-a.Major)
	})
	return found, nil
}

// FindMajor returns an installation of one major version.
func FindMajor(major int) (Binaries, error) {
	all, err := Find()
	if err != nil {
		return Binaries{}, err
	}
	for _, b := range all {
		if b.Major == major {
			return b, nil
		}
	}
	have := make([]string, len(all))
	for i, b := range all {
		have[i] = b.Version
	}
	return Binaries{}, fmt.Errorf("no PostgreSQL %d server programs found, only %s", major, strings.Join(have, ", "))
}

type candidate struct{ dir, origin string }

func candidates() []candidate {
	var list []candidate
	if dir := os.Getenv(EnvBin); dir != "" {
		list = append(list, candidate{dir, EnvBin})
	}
	for _, native := range npmFolders() {
		list = append(list, candidate{filepath.Join(native, "bin"), "npm"})
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin"} {
		dirs, _ := filepath.Glob(pattern)
		for _, dir := range dirs {
			list = append(list, candidate{dir, "system"})
		}
	}
	if p, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			list = append(list, candidate{filepath.Dir(real), "PATH"})
		}
	}
	return list
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) (\d+)(\S*)`)

// probe asks the program for its version: a folder's name may lie, and a binary
// for another processor or with a missing library shows here.
func probe(dir, origin string) (Binaries, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return Binaries{}, err
	}
	if origin == "npm" {
		if err := linkLibraries(filepath.Dir(dir)); err != nil {
			return Binaries{}, err
		}
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").CombinedOutput()
	if err != nil {
		return Binaries{}, fmt.Errorf("postgres --version: %w: %s", err, strings.TrimSpace(string(out)))
	}
	m := versionText.FindStringSubmatch(string(out))
	if m == nil {
		return Binaries{}, fmt.Errorf("postgres --version said %q", strings.TrimSpace(string(out)))
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return Binaries{}, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return Binaries{Dir: dir, Version: m[1] + m[2], Major: major, Origin: origin}, nil
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
