package lab

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const homePrefix = "stallbook-lab-"

// home is the temporary folder that a primary and its standbys share.
type home struct {
	dir     string
	account account

	mu      sync.Mutex
	servers []*Server
}

// newHome makes the folder inside parent ("" = the system's temporary folder).
// Its name holds our process id, so that a later lab can tell a dead one's.
func newHome(parent string) (*home, error) {
	a, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if parent == "" {
		parent = os.TempDir()
		sweep(parent, time.Now())
	}
	dir, err := os.MkdirTemp(parent, homePrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	h := &home{dir: dir, account: a}
	if err := a.own(dir); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if !a.reaches(parent) {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the unprivileged user the server runs as can't enter %s: give another folder", parent)
	}
	return h, nil
}

// sweep removes what a lab left that was killed: its servers ended with it, its
// files did not.
func sweep(parent string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(parent, homePrefix+"*"))
	for _, dir := range dirs {
		rest := strings.TrimPrefix(filepath.Base(dir), homePrefix)
		pid, _, _ := strings.Cut(rest, "-")
		info, err := os.Stat(dir)
		if err != nil || pid == "" || now.Sub(info.ModTime()) < time.Minute {
			continue
		}
		if _, err := os.Stat("/proc/self"); err != nil {
			return // no way to tell who lives
		}
		if _, err := os.Stat(filepath.Join("/proc", pid)); os.IsNotExist(err) {
			os.RemoveAll(dir)
		}
	}
}

func (h *home) add(s *Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers = append(h.servers, s)
}

// close stops the standbys before their primary and removes everything.
func (h *home) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.servers) - 1; i >= 0; i-- {
		if p := h.servers[i].running(); p != nil {
			p.end(Immediate.signal(), 20*time.Second)
		}
	}
	h.servers = nil
	return os.RemoveAll(h.dir)
}

// freePort asks the system for a port nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
