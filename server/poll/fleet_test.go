package poll

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"stallbook/store"
)

// dialer asks a real socket and waits for one byte. A rude one waits without
// looking at its deadline, as a resolver or a half-open connection may.
type dialer struct {
	addr string
	rude bool
}

func (d dialer) Collect(ctx context.Context, _ time.Time) store.Batch {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", d.addr)
	if err != nil {
		return store.Batch{Err: err.Error()}
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok && !d.rude {
		conn.SetDeadline(deadline)
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		return store.Batch{Err: err.Error()}
	}
	return store.Batch{}
}

// silent listens and never answers.
func silent(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan net.Conn, 1000)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				close(held)
				return
			}
			held <- conn
		}
	}()
	t.Cleanup(func() {
		l.Close()
		for conn := range held {
			conn.Close()
		}
	})
	return l.Addr().String()
}

// closedPort was free a moment ago.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// One dead and one hanging instance among fifty: the other 48 keep their ticks.
func TestDeadAndHangingAmongFifty(t *testing.T) {
	const run = 8 * time.Second
	var c tray
	ctx, cancel := context.WithTimeout(t.Context(), run)
	defer cancel()
	g := NewGroup(ctx, c.sink, nil)
	name := func(i int) store.Ref { return store.Ref{Cluster: "fleet", Instance: fmt.Sprint("i", i)} }
	quiet := silent(t)
	for i := range 50 {
		var src Source
		switch i {
		case 0:
			src = dialer{addr: closedPort(t)}
		case 1:
			src = dialer{addr: quiet}
		case 2: // an extra source of a healthy instance hangs and ignores its context
			if err := g.Add(name(i), "rude", dialer{addr: quiet, rude: true}, time.Second); err != nil {
				t.Fatal(err)
			}
			fallthrough
		default:
			src = &fake{collect: func(context.Context, int) store.Batch {
				time.Sleep(2 * time.Millisecond)
				return store.Batch{}
			}}
		}
		if err := g.Add(name(i), "s", src, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	<-ctx.Done()
	g.Wait()
	for i := range 50 {
		checkTicks(t, c.of(name(i)), i > 1)
	}
	if s := g.Stats(); s.P99 >= 250*time.Millisecond || s.Missed > 0 {
		t.Errorf("lateness %+v, want p99 below 250 ms and none missed", s)
	} else {
		t.Logf("lateness p50 %v, p99 %v, max %v over %d ticks", s.P50, s.P99, s.Max, s.Ticks)
	}
}

// checkTicks wants a batch of source s in every second.
func checkTicks(t *testing.T, list []store.Batch, healthy bool) {
	t.Helper()
	var secs []int64
	for _, b := range list {
		if b.Source != "s" {
			continue
		}
		secs = append(secs, b.At.Unix())
		if healthy != (b.Err == "") {
			t.Errorf("%s at %v: error %q", b.Ref, b.At, b.Err)
		}
	}
	if len(secs) < 7 {
		t.Errorf("%d batches in 8 s", len(secs))
	}
	for i := 1; i < len(secs); i++ {
		if secs[i] != secs[i-1]+1 {
			t.Errorf("seconds %v: one is missing or double", secs)
		}
	}
}
