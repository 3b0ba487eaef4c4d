package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// AddStandby copies the running primary and starts the copy as a streaming
// standby whose application_name is name. settings come on top of the primary's.
//
// The copy is made with the server's own backup functions, since the npm
// packages hold no pg_basebackup.
func (s *Server) AddStandby(ctx context.Context, name string, settings map[string]string) (*Server, error) {
	if name == "" || name == s.Name || strings.ContainsAny(name, `/\ '"`) {
		return nil, fmt.Errorf("lab: %q is no name for a standby", name)
	}
	all := maps.Clone(s.settings)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, settings)
	all["primary_conninfo"] = fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=%s", s.Port, name)
	sb, err := s.lab.server(name, s.Binaries, all)
	if err != nil {
		return nil, err
	}
	if err := s.backupTo(ctx, sb.dataDir()); err != nil {
		return nil, fmt.Errorf("copying the primary: %w", err)
	}
	if err := sb.becomeStandby(); err != nil {
		return nil, err
	}
	return sb, sb.Start(ctx)
}

// backupTo copies the data directory between the start and the stop of an
// online backup and adds the label that tells recovery where to begin.
func (s *Server) backupTo(ctx context.Context, to string) error {
	conn, err := s.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	start, stop := "backup_start", "backup_stop"
	if s.Binaries.Major < 15 {
		start, stop = "backup_start_14", "backup_stop_14"
	}
	if _, err := conn.Exec(ctx, statement(start)); err != nil {
		return err
	}
	if err := copyTree(s.dataDir(), to, leftOut); err != nil {
		return err
	}
	var label string
	if err := conn.QueryRow(ctx, statement(stop)).Scan(&label); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return os.WriteFile(filepath.Join(to, "backup_label"), []byte(label), 0o600)
}

// leftOut names what a copy of a running server must not hold: its lock, its
// WAL (the standby streams it) and what is rebuilt at start.
func leftOut(rel string) bool {
	dir, _ := filepath.Split(rel)
	switch strings.TrimSuffix(dir, "/") {
	case "pg_wal", "pg_wal/archive_status", "pg_wal/summaries":
		return rel != "pg_wal/archive_status" && rel != "pg_wal/summaries"
	case "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans":
		return true
	}
	return slices.Contains([]string{"postmaster.pid", "postmaster.opts", "pg_internal.init", "postgresql.auto.conf"}, filepath.Base(rel))
}

func (s *Server) becomeStandby() error {
	for _, name := range []string{"standby.signal", "postgresql.auto.conf"} {
		if err := os.WriteFile(filepath.Join(s.dataDir(), name), nil, 0o600); err != nil {
			return err
		}
	}
	return s.lab.account.ownTree(s.dataDir())
}

// Promote ends recovery: the standby becomes a primary of its own.
func (s *Server) Promote(ctx context.Context) error {
	return s.Exec(ctx, "postgres", statement("promote"))
}
