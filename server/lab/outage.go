package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// MakeSync makes commits on the primary wait for the standby, and returns once
// the standby can acknowledge.
func MakeSync(ctx context.Context, primary, standby *Server) error {
	name := `"` + strings.ReplaceAll(standby.Name, `"`, `""`) + `"`
	if err := primary.SetSetting(ctx, "synchronous_standby_names", name); err != nil {
		return err
	}
	return primary.until(ctx, "sync_state", 1, standby.Name)
}

// SetSetting changes one setting with ALTER SYSTEM and reloads.
func (s *Server) SetSetting(ctx context.Context, name, value string) error {
	return s.Exec(ctx, "postgres", "ALTER SYSTEM SET "+name+" = "+quote(value), statement("reload"))
}

// SyncOutage stops every commit on the primary, on any disk and without harm:
// the synchronous standby's replay is paused, the primary writes, the standby's
// WAL receiver is ended. A standby that still has WAL to replay does not ask for
// more, so that nobody acknowledges and commits hang in SyncRep. Two writers go
// on so that the hang is seen.
//
// heal resumes the replay, ends the writers and returns once the standby is
// synchronous again; it may be called more than once.
func SyncOutage(ctx context.Context, primary, standby *Server) (heal func(context.Context) error, err error) {
	if err := MakeSync(ctx, primary, standby); err != nil {
		return nil, fmt.Errorf("making %s synchronous: %w", standby.Name, err)
	}
	if err := primary.Exec(ctx, "postgres", statement("traffic_table")); err != nil {
		return nil, err
	}
	if err := standby.Exec(ctx, "postgres", statement("replay_pause")); err != nil {
		return nil, err
	}
	traffic := StartTraffic(context.WithoutCancel(ctx), primary, 2, 100*time.Millisecond)
	heal = func(ctx context.Context) error {
		err := standby.Exec(ctx, "postgres", statement("replay_resume"))
		if err == nil {
			err = primary.until(ctx, "sync_state", 1, standby.Name)
		}
		traffic.Stop()
		return err
	}
	if err = endReceiver(ctx, primary, standby); err != nil {
		return nil, errors.Join(err, heal(context.WithoutCancel(ctx)))
	}
	return heal, nil
}

func endReceiver(ctx context.Context, primary, standby *Server) error {
	// The standby must have received something it may not replay yet.
	if err := primary.Exec(ctx, "postgres", statement("traffic_insert")); err != nil {
		return err
	}
	conn, err := standby.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var pid int
	if err := conn.QueryRow(ctx, statement("walreceiver_pid")).Scan(&pid); err != nil {
		return fmt.Errorf("finding the WAL receiver of %s: %w", standby.Name, err)
	}
	proc, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := proc.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending the WAL receiver of %s: %w", standby.Name, err)
	}
	return primary.until(ctx, "sync_waiters", 1)
}

// until polls a count until it reaches least, for at most 30 s.
func (s *Server) until(ctx context.Context, query string, least int64, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := s.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		var n int64
		if err := conn.QueryRow(ctx, statement(query), args...).Scan(&n); err != nil {
			return err
		}
		if n >= least {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s of %s stayed at %d: %w", query, s.Name, n, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
