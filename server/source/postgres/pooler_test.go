package postgres

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stallbook/server/lab"
	"stallbook/store"
)

func TestPoolerIsRefused(t *testing.T) {
	p := primary(t, 17, nil)
	for _, mode := range []string{"transaction", "session"} {
		t.Run(mode, func(t *testing.T) {
			port := pooler(t, p, mode)
			dsn := func(db string) string {
				return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", port, db)
			}
			for _, db := range []string{"postgres", "pgbouncer"} {
				s := source(t, dsn(db))
				b := eventually(t, s, 5*time.Second, "an answer", func(b store.Batch) bool { return !strings.Contains(b.Err, "connection refused") })
				if !strings.Contains(b.Err, "pooler") || !strings.Contains(b.Err, "PostgreSQL itself") {
					t.Errorf("database %s: err %q", db, b.Err)
				}
				if s.Connected() {
					t.Error("the refused connection is kept")
				}
			}
		})
	}
}

// pooler runs the real PgBouncer in front of a server and returns its port.
func pooler(t *testing.T, server *lab.Server, mode string) int {
	t.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir, err := os.MkdirTemp("", "pooler")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	conf := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = trust\nauth_file = %s/users\npool_mode = %s\nadmin_users = postgres\n", server.Port, port, dir, mode)
	for name, text := range map[string]string{"conf": conf, "users": "\"postgres\" \"\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-q", filepath.Join(dir, "conf"))
	cmd.SysProcAttr = unprivileged(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return port
}

// unprivileged: PgBouncer refuses root, as PostgreSQL does.
func unprivileged(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
