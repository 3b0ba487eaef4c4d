package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options says what to start.
type Options struct {
	Binaries Binaries          // zero: the first one Find returns
	Dir      string            // parent of the temporary folder; "" = the system's. Keep it short: socket paths end at 107 bytes
	Settings map[string]string // postgresql.conf
	// Checksums turns data checksums on: with them hint bits write full page
	// images, as on every managed service.
	Checksums bool
}

// Server is one PostgreSQL server that lab started.
type Server struct {
	Name     string // "primary", or the standby's application_name
	Port     int    // TCP on 127.0.0.1, and the socket's number
	Binaries Binaries

	lab      *home
	settings map[string]string

	mu   sync.Mutex
	proc *process
}

// StartPrimary makes a new cluster in a temporary folder and starts it. The
// superuser is postgres; there is no password, and nothing listens beyond
// 127.0.0.1. Close removes it with all its standbys.
func StartPrimary(ctx context.Context, o Options) (*Server, error) {
	if o.Binaries.Dir == "" {
		all, err := Find()
		if err != nil {
			return nil, err
		}
		o.Binaries = all[0]
	}
	h, err := newHome(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := h.primary(ctx, o)
	if err != nil {
		h.close()
		return nil, err
	}
	return s, nil
}

func (h *home) primary(ctx context.Context, o Options) (*Server, error) {
	bin, err := h.account.reachable(o.Binaries, h.dir)
	if err != nil {
		return nil, err
	}
	s, err := h.server("primary", bin, o.Settings)
	if err != nil {
		return nil, err
	}
	args := []string{"-D", s.dataDir(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"}
	if o.Checksums {
		args = append(args, "--data-checksums")
	} else if bin.Major >= 18 {
		args = append(args, "--no-data-checksums")
	}
	if err := s.program(ctx, "initdb", args...); err != nil {
		return nil, err
	}
	if err := s.includeConf(); err != nil {
		return nil, err
	}
	return s, s.Start(ctx)
}

// server makes the value and its folders; nothing runs yet.
func (h *home) server(name string, bin Binaries, settings map[string]string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Name: name, Port: port, Binaries: bin, lab: h, settings: maps.Clone(settings)}
	for _, dir := range []string{s.root(), s.socketDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if err := h.account.own(dir); err != nil {
			return nil, err
		}
	}
	h.add(s)
	return s, nil
}

func (s *Server) root() string      { return filepath.Join(s.lab.dir, s.Name) }
func (s *Server) dataDir() string   { return filepath.Join(s.root(), "data") }
func (s *Server) socketDir() string { return filepath.Join(s.root(), "s") }

// LogFile is where the server writes its log.
func (s *Server) LogFile() string { return filepath.Join(s.root(), "log") }

// DataDir is the server's data directory.
func (s *Server) DataDir() string { return s.dataDir() }

// DSN is a URL for the superuser over TCP.
func (s *Server) DSN(dbname string) string { return s.DSNAs("postgres", dbname) }

// DSNAs is a URL for another role, which needs no password.
func (s *Server) DSNAs(role, dbname string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", role, s.Port, dbname)
}

// SocketDSN is DSN over the unix socket, in keyword form.
func (s *Server) SocketDSN(dbname string) string {
	return fmt.Sprintf("host=%s port=%d user=postgres dbname=%s", s.socketDir(), s.Port, dbname)
}

// Connect opens a session as the superuser; the caller closes it.
func (s *Server) Connect(ctx context.Context, dbname string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.DSN(dbname))
}

// Exec runs statements in one session, each in its own transaction.
func (s *Server) Exec(ctx context.Context, dbname string, statements ...string) error {
	conn, err := s.Connect(ctx, dbname)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, q := range statements {
		if _, err := conn.Exec(ctx, q, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", firstLine(q), err)
		}
	}
	return nil
}

// Start starts a stopped server and returns once it takes connections.
func (s *Server) Start(ctx context.Context) error {
	if s.running() != nil {
		return errors.New("lab: " + s.Name + " runs already")
	}
	if err := s.writeConf(); err != nil {
		return err
	}
	logFile, err := os.OpenFile(s.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer logFile.Close()
	cmd := exec.Command(filepath.Join(s.Binaries.Dir, "postgres"), "-D", s.dataDir())
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.root(), logFile, logFile
	p, err := startProcess(cmd, s.lab.account)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.proc = p
	s.mu.Unlock()
	return s.wait(ctx, p)
}

// wait returns once the server answers a query.
func (s *Server) wait(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := s.Connect(ctx, "postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		if end := p.exited(); end != nil {
			return fmt.Errorf("PostgreSQL %s (%s) did not start: %w; its log ends with: %s", s.Binaries.Version, s.Name, end, s.logTail())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL %s (%s) takes no connection: %w", s.Binaries.Version, s.Name, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Mode is a way to stop a server.
type Mode int

// The ways to stop: Fast ends the sessions and checkpoints, Immediate does not
// checkpoint, so that the next start is a crash recovery.
const (
	Fast Mode = iota
	Immediate
)

func (m Mode) signal() syscall.Signal {
	if m == Immediate {
		return syscall.SIGQUIT
	}
	return syscall.SIGINT
}

// Stop stops the server and waits for its end.
func (s *Server) Stop(m Mode) error {
	p := s.running()
	if p == nil {
		return nil
	}
	return p.end(m.signal(), time.Minute)
}

// Kill ends the postmaster as the kernel's out-of-memory killer would; its
// sessions notice and end by themselves.
func (s *Server) Kill() error {
	p := s.running()
	if p == nil {
		return nil
	}
	return p.end(syscall.SIGKILL, 10*time.Second)
}

// Close stops the whole lab, the primary and every standby, and removes its files.
func (s *Server) Close() error { return s.lab.close() }

func (s *Server) running() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil || s.proc.exited() != nil {
		return nil
	}
	return s.proc
}

func (s *Server) program(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.Binaries.Dir, name), args...)
	cmd.SysProcAttr = attributes(s.lab.account)
	cmd.Dir = s.root()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (s *Server) logTail() string {
	raw, _ := os.ReadFile(s.LogFile())
	if len(raw) > 600 {
		raw = raw[len(raw)-600:]
	}
	return strings.TrimSpace(string(raw))
}

func firstLine(q string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(q), "\n")
	return line
}
