package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"stallbook/store"
)

// Options says which server to read and how.
type Options struct {
	Ref store.Ref
	DSN string
	// Databases are those whose tables are watched: none = the DSN's own, "all" =
	// every one the role may connect to.
	Databases []string
	// Password gives the password of each new connection, such as a token that
	// lives for minutes; nil = what the DSN says. Its error is for a person.
	Password func(context.Context) (string, error)
	Slow     time.Duration // of the slow loop; default 10 s, 30 s on 13 and 14
	Deadline time.Duration // of one Collect, below the tick; default 900 ms
}

// AllDatabases in Options.Databases watches every database the role may enter.
const AllDatabases = "all"

// Source reads one server. Collect is called by one goroutine at a time.
type Source struct {
	ref      store.Ref
	cfg      *pgx.ConnConfig
	password func(context.Context) (string, error)
	deadline time.Duration
	turn     chan struct{} // held by whoever uses the connection; see QueryRows

	session *session
	prev    *reading
	past    past
	vacuums vacuumBook
	slow    slowLoop
	left    []leftover
}

// New checks the options; it connects to nothing. The error holds no part of
// the DSN.
func New(o Options) (*Source, error) {
	cfg, err := ParseDSN(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Ref, err)
	}
	if o.Deadline <= 0 {
		o.Deadline = 900 * time.Millisecond
	}
	return &Source{
		ref: o.Ref, cfg: cfg, password: o.Password, deadline: o.Deadline, turn: make(chan struct{}, 1),
		vacuums: newVacuumBook(),
		slow:    newSlowLoop(o.Databases, o.Slow),
	}, nil
}

// Connected reports whether a connection is open: a failure to get an answer
// is retried at the next tick, a failure to connect with patience.
func (s *Source) Connected() bool { return s.session != nil }

// Close ends the connection.
func (s *Source) Close() error {
	s.drop()
	return nil
}

// login returns cfg with the password of a new connection.
func (s *Source) login(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.ConnConfig, error) {
	if s.password == nil {
		return cfg, nil
	}
	secret, err := s.password(ctx)
	if err != nil {
		return nil, err
	}
	cfg = cfg.Copy()
	cfg.Password = secret
	return cfg, nil
}

// drop closes the connection and forgets what rates were to be counted from.
func (s *Source) drop() {
	if s.session != nil {
		if s.session.conn.IsClosed() { // by the driver, over an answer that did not come
			s.abandon(s.session)
		}
		s.session.close()
	}
	s.session, s.prev = nil, nil
	s.slow.disconnected()
}

// Collect reads once and returns within the deadline.
func (s *Source) Collect(ctx context.Context, now time.Time) store.Batch {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	b := store.Batch{Ref: s.ref, Source: "postgres", At: now.UTC()}
	begun := time.Now()
	if err := s.enter(ctx); err != nil {
		b.Err = "the connection is busy with another statement"
		return b
	}
	defer s.leave()
	fresh := s.session == nil
	if fresh {
		if err := s.connect(ctx, &b); err != nil {
			b.Err = Explain(err, s.cfg)
			s.drop()
			return b
		}
	}
	cur, err := s.read(ctx)
	if err != nil {
		b.Err = Explain(err, s.cfg)
		s.drop()
		return b
	}
	s.emit(&b, cur)
	if fresh {
		b.Facts = identityFacts(s.session, cur.instance.Started)
	}
	s.prev = cur
	s.slow.work(ctx, s, &b, begun)
	b.Notes = s.notes(cur)
	if s.session.conn.IsClosed() {
		s.drop()
	}
	return b
}

// connect opens the session, unless too many of ours still hang in the server.
func (s *Source) connect(ctx context.Context, b *store.Batch) error {
	if s.stillHanging() >= leftoverLimit {
		return &Refusal{s.hangingSentence()}
	}
	session, err := dial(ctx, s.cfg)
	if err != nil {
		return err
	}
	s.session = session
	if err := s.checkLeftovers(ctx, session); err != nil {
		return err
	}
	return tolerate(listDatabases(ctx, s, b)) // before any table is named
}

// read asks the fast statements. After a promotion the statements of the old
// role were asked; the next poll asks those of the new one.
func (s *Source) read(ctx context.Context) (*reading, error) {
	cur := &reading{failed: map[string]error{}}
	begun := time.Now()
	err := s.session.run(ctx, &s.vacuums.asked, cur)
	cur.at = time.Now()
	cur.took = cur.at.Sub(begun)
	if err != nil {
		return nil, err
	}
	if cur.instance == nil {
		return nil, fmt.Errorf("the first statement failed: %w", cur.failed["instance"])
	}
	s.session.role = roleOf(cur.instance.InRecovery)
	return cur, nil
}

func (s *Source) emit(b *store.Batch, cur *reading) {
	e := &emitter{b: b, prev: s.prev, cur: cur, major: s.session.identity.Major}
	b.Role = s.session.role
	s.past.compare(e, s.session.system)
	e.gauges()
	if e.prev != nil {
		b.Elapsed = cur.at.Sub(e.prev.at)
		e.rates()
	}
	s.vacuums.emit(e, &s.slow, s.session.caps.Rights.Database)
}
