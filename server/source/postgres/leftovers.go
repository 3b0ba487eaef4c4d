package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// leftoverLimit is how many of our own sessions may hang in a server before no
// further one is opened: a monitor that takes a new connection each second from
// a server that hangs ends up with all of them.
const leftoverLimit = 2

// leftover is a session that was left because its server did not answer. Its
// backend may live on, stuck in a disk or a lock, and holds its slot until then.
type leftover struct {
	pid   int32
	since time.Time
	done  <-chan struct{} // closed when the server hung up, or when the driver stopped waiting for that
}

// drainTime is a little less than how long the driver waits for the server to
// hang up; a channel closed sooner means that the backend is gone.
const drainTime = 14 * time.Second

// abandon keeps account of a session whose connection the driver gave up.
func (s *Source) abandon(old *session) {
	conn := old.conn.PgConn()
	s.left = append(s.left, leftover{int32(conn.PID()), time.Now(), conn.CleanupDone()})
}

// stillHanging forgets the sessions that have ended and returns the number of
// those known to hang on.
func (s *Source) stillHanging() int {
	pending := 0
	s.left = slices.DeleteFunc(s.left, func(l leftover) bool {
		select {
		case <-l.done:
			return time.Since(l.since) < drainTime
		default:
			pending++
			return false
		}
	})
	return pending
}

// checkLeftovers asks the server which of our earlier sessions it still holds.
func (s *Source) checkLeftovers(ctx context.Context, now *session) error {
	if len(s.left) == 0 {
		return nil
	}
	pids := make([]int32, len(s.left))
	for i, l := range s.left {
		pids[i] = l.pid
	}
	alive, err := ask(ctx, now, "connect/leftovers", pgx.RowTo[int32], pids)
	if err := tolerate(err); err != nil {
		return err
	}
	s.left = slices.DeleteFunc(s.left, func(l leftover) bool { return !slices.Contains(alive, l.pid) })
	if len(s.left) >= leftoverLimit {
		return &Refusal{s.hangingSentence()}
	}
	return nil
}

func (s *Source) hangingSentence() string {
	pids := make([]string, len(s.left))
	for i, l := range s.left {
		pids[i] = fmt.Sprint(l.pid)
	}
	return fmt.Sprintf("%d of our own sessions (process %s) still hang in %s: no further one is opened until they end", len(s.left), strings.Join(pids, ", "), address(s.cfg))
}
