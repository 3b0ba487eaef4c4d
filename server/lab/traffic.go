package lab

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Traffic is a few sessions that insert, each committing every interval.
type Traffic struct {
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	commits atomic.Int64
}

// StartTraffic starts clients sessions that insert into public.traffic of the
// database postgres. A session that loses its connection makes another.
func StartTraffic(ctx context.Context, s *Server, clients int, every time.Duration) *Traffic {
	ctx, cancel := context.WithCancel(ctx)
	t := &Traffic{cancel: cancel}
	for range clients {
		t.wg.Go(func() {
			for ctx.Err() == nil {
				t.session(ctx, s, every)
				pause(ctx, 200*time.Millisecond)
			}
		})
	}
	return t
}

// Commits is how many transactions have been committed so far.
func (t *Traffic) Commits() int64 { return t.commits.Load() }

// Stop ends the sessions and waits for them.
func (t *Traffic) Stop() {
	t.cancel()
	t.wg.Wait()
}

func (t *Traffic) session(ctx context.Context, s *Server, every time.Duration) {
	conn, err := s.Connect(ctx, "postgres")
	if err != nil {
		return
	}
	defer closeSoon(ctx, conn)
	if _, err := conn.Exec(ctx, statement("traffic_table")); err != nil {
		return
	}
	for ctx.Err() == nil {
		if _, err := conn.Exec(ctx, statement("traffic_insert")); err != nil {
			return
		}
		t.commits.Add(1)
		pause(ctx, every)
	}
}

func closeSoon(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	conn.Close(ctx)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
