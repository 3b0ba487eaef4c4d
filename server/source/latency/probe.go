package latency

import (
	"cmp"
	"context"
	_ "embed" // the SQL
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

var (
	//go:embed sql/commit.sql
	commitSQL string
	//go:embed sql/recovery.sql
	recoverySQL string
)

const (
	// DefaultEvery is how often the probe commits.
	DefaultEvery = 200 * time.Millisecond
	// connectTime and commitTime end a connection that nobody answers on any more.
	connectTime = 5 * time.Second
	commitTime  = 30 * time.Second
	maxPause    = 30 * time.Second
	standbyWait = 10 * time.Second
)

// ProbeOptions say where to commit.
type ProbeOptions struct {
	Ref   store.Ref
	DSN   string        // connection string; never shown
	Every time.Duration // 0 = DefaultEvery
}

// Probe measures latency by tiny commits of its own, on a connection of its
// own. It begins with the first Collect and ends with Close. While a commit
// hangs, its age so far counts as its latency: a stall is seen while it lasts.
type Probe struct {
	cfg   *pgx.ConnConfig
	every time.Duration
	ref   store.Ref
	once  sync.Once

	mu     sync.Mutex // guards the rest
	stop   context.CancelFunc
	closed bool
	told   bool
	slots  slots
	err    string // why there is no commit; "" while there is
	note   string // why there can be none here, which is no failure
}

// NewProbe returns the source; the error says what is wrong with the DSN.
func NewProbe(o ProbeOptions) (*Probe, error) {
	cfg, err := pgx.ParseConfig(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("the probe's connection string: %w", err) // pgx leaves the password out
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	cfg.ConnectTimeout = connectTime
	for name, value := range map[string]string{
		"application_name": "stallbook probe", "default_transaction_read_only": "off", "statement_timeout": "0", "lock_timeout": "0",
	} {
		cfg.RuntimeParams[name] = value
	}
	every := cmp.Or(o.Every, DefaultEvery)
	return &Probe{cfg: cfg, every: every, ref: o.Ref, slots: slots{every: every}}, nil
}

// Connected is always true: the probe backs off by itself, and asking how it
// fares costs the server nothing.
func (p *Probe) Connected() bool { return true }

// Close ends the probe and its connection.
func (p *Probe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.stop != nil {
		p.stop()
	}
	return nil
}

// Collect returns the percentiles of the last second's commits. It does not
// wait for one.
func (p *Probe) Collect(ctx context.Context, now time.Time) store.Batch {
	p.once.Do(func() { p.start(ctx) })
	p.mu.Lock()
	defer p.mu.Unlock()
	b := store.Batch{Ref: p.ref, Source: Name, At: now, Err: p.err}
	if p.note != "" {
		b.Notes = []string{p.note}
	}
	waits := p.slots.over(time.Now())
	if len(waits) == 0 {
		return b
	}
	if !p.told {
		p.told = true
		b.Facts = map[string]string{fromFact: fmt.Sprintf("stallbook's own commit, one every %v", p.every)}
	}
	quantiles(&b, rank(waits, 0.5).Seconds()*1000, rank(waits, 0.99).Seconds()*1000)
	return b
}

// start begins to commit. The probe outlives the first Collect, whose context
// it takes its values from; Close ends it.
func (p *Probe) start(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	go p.run(ctx)
}

// run connects and commits until ctx ends, with a longer pause after each
// failure in a row.
func (p *Probe) run(ctx context.Context) {
	pause := time.Second
	for ctx.Err() == nil {
		began := time.Now()
		err := p.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > maxPause {
			pause = time.Second
		}
		wait := pause
		if p.failed(err) {
			wait = standbyWait
		} else {
			pause = min(2*pause, maxPause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// session commits on one connection until that fails.
func (p *Probe) session(ctx context.Context) error {
	connecting, cancel := context.WithTimeout(ctx, connectTime)
	conn, err := pgx.ConnectConfig(connecting, p.cfg)
	cancel()
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		conn.Close(closing)
	}()
	if err := primary(ctx, conn); err != nil {
		return err
	}
	for due := time.Now(); ; {
		if err := p.commit(ctx, conn); err != nil {
			return err
		}
		for !due.After(time.Now()) {
			due = due.Add(p.every)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(due)):
		}
	}
}

// errStandby ends a session with a server that can't commit by its nature.
var errStandby = errors.New("a standby commits nothing, so the commit probe waits until this server is a primary")

func primary(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var standby bool
	if err := conn.QueryRow(ctx, recoverySQL).Scan(&standby); err != nil {
		return err
	}
	if standby {
		return errStandby
	}
	return nil
}

// errHung ends a session whose commit hung for commitTime.
var errHung = errors.New("the commit hangs")

func (p *Probe) commit(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	p.mu.Lock()
	p.slots.begin(time.Now())
	p.mu.Unlock()
	_, err := conn.Exec(ctx, commitSQL)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errHung
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots.end(time.Now())
	p.err, p.note = "", ""
	return nil
}

// failed keeps why the session ended. A commit that hung goes on hanging: the
// next connection only takes its place. standby tells that trying again soon is
// of no use.
func (p *Probe) failed(err error) (standby bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err, p.note = "", ""
	switch {
	case errors.Is(err, errHung):
		return false
	case errors.Is(err, errStandby):
		p.note = err.Error()
		standby = true
	default:
		p.err = "commit probe: " + err.Error()
	}
	p.slots.cancel()
	return standby
}
