package enhanced

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"stallbook/server/source/awscall"
	"stallbook/store"
	"stallbook/store/em"
)

// LogGroup is where RDS writes the documents.
const LogGroup = "RDSOSMetrics"

// Every is how often Collect is best called. It bounds a request as well, which
// may bring 1 MB.
const Every = 2 * time.Second

// Target is what the RDS API says of an instance.
type Target struct {
	Stream string        // DbiResourceId; "" = not known yet
	Every  time.Duration // MonitoringInterval; 0 = off
}

// Options say what to read.
type Options struct {
	Ref     store.Ref
	ID      string // DBInstanceIdentifier, for messages; "" = the instance's name
	Client  Client
	Limiter *Limiter
	// Target is asked at every poll, as a blue/green switch gives an instance
	// another stream. It must be quick and safe for concurrent use.
	Target func() Target
	// Since leaves out what another run of the program has read already: up to
	// the newest reading in its history. Zero = nothing.
	Since time.Time
}

// Source reads one instance. It is used by one goroutine at a time.
type Source struct {
	o      Options
	target Target
	stream *stream
	turn   time.Time     // reserved; zero = none
	next   time.Time     // no poll before
	status store.Batch   // of the last poll
	failed int           // polls in a row
	events []store.Event // not told yet
}

// New returns a source for poll.Group. All sources of one account and region
// share a Limiter and, best, a client.
func New(o Options) *Source {
	o.ID = cmp.Or(o.ID, o.Ref.Instance)
	return &Source{o: o, status: store.Batch{Err: "not asked yet: " + o.ID + " waits for its turn"}}
}

// Connected keeps the poll at its pace: this source has its own backoff, as a
// request that fails must not make others wait.
func (s *Source) Connected() bool { return true }

// Collect polls once and returns the newest reading; CollectMany has them all.
func (s *Source) Collect(ctx context.Context, now time.Time) store.Batch {
	readings, status := s.CollectMany(ctx, now)
	if len(readings) == 0 {
		return status
	}
	b := readings[len(readings)-1]
	b.Err, b.Notes, b.Events, b.Restart = status.Err, status.Notes, status.Events, status.Restart
	return b
}

// CollectMany implements poll.Many. It asks when the instance has its turn and
// there can be something new; at other times it says how old the newest reading
// is.
func (s *Source) CollectMany(ctx context.Context, now time.Time) (readings []store.Batch, status store.Batch) {
	s.follow(s.o.Target(), now)
	switch {
	case s.target.Stream == "":
		return nil, s.report(now, noStreamYet(s.o.ID))
	case s.target.Every <= 0:
		return nil, s.report(now, monitoringOff(s.o.ID))
	case !s.hasTurn(now):
		return nil, s.report(now, s.status.Err)
	}
	began := time.Now()
	readings, err := s.poll(ctx, now)
	s.settle(now, err)
	status = s.report(now, s.status.Err)
	status.Samples = append(status.Samples, store.SampleOf(pollMs, em.Source, float64(time.Since(began))/float64(time.Millisecond), 0))
	return readings, status
}

// settle says how a poll went and when the next one is.
func (s *Source) settle(now time.Time, err error) {
	if err != nil {
		s.failed++
		s.status.Err, s.next = s.explain(err), now.Add(pause(err, s.failed))
		return
	}
	s.failed, s.status.Err, s.next = 0, s.silence(now), now
	if !s.stream.more {
		s.next = now.Add(s.target.Every / 4)
	}
}

var pollMs = store.MustLookup("source.poll_ms")

// follow takes up what the API says now. A new stream is another server: it is
// read from where the old one ended, as before that it was not this instance.
func (s *Source) follow(t Target, now time.Time) {
	s.target.Every = t.Every
	if t.Stream == s.target.Stream || t.Stream == "" {
		return
	}
	from := now.Add(-lookBack)
	if s.o.Since.After(from) {
		from = s.o.Since.Add(time.Millisecond)
	}
	if s.stream != nil {
		if s.stream.newest.After(from) {
			from = s.stream.newest.Add(time.Millisecond)
		}
		s.events = append(s.events, switched(now, s.o, s.target.Stream, t.Stream))
		s.status.Err = "waits for the first document of its new log stream"
	}
	newest := time.Time{}
	if s.stream != nil {
		newest = s.stream.newest
	}
	s.target.Stream, s.stream, s.next = t.Stream, newStream(t.Stream, from, now), now
	s.stream.newest = newest
}

// hasTurn reports whether to ask now: when something new can be there, and the
// account's requests leave room.
func (s *Source) hasTurn(now time.Time) bool {
	if now.Before(s.next) {
		return false
	}
	if s.turn.IsZero() {
		s.turn = s.o.Limiter.Reserve(now)
	}
	if now.Before(s.turn) {
		return false
	}
	s.turn = time.Time{}
	return true
}

// report is the batch about the source itself. Notes and errors of the last poll
// stand until the next one.
func (s *Source) report(now time.Time, why string) store.Batch {
	b := store.Batch{Ref: s.o.Ref, Source: em.Source, At: now.UTC(), Err: why, Notes: s.status.Notes, Events: s.events, Restart: len(s.events) > 0}
	if s.stream != nil {
		b.Newest = s.stream.newest
	}
	s.events = nil
	return b
}

// silence says what is wrong with a stream that was read to its end.
func (s *Source) silence(now time.Time) string {
	newest := s.stream.newest
	switch age := now.Sub(newest); {
	case newest.IsZero() && !s.stream.more:
		return emptyStream(s.o.ID, s.stream.name)
	case age > max(staleAfter, 3*s.target.Every) && !s.stream.more:
		return stale(s.o.ID, s.stream.name, age)
	}
	return ""
}

// staleAfter is how old the newest document of a stream may be. No figure is
// published for how late documents come.
const staleAfter = 2 * time.Minute

// poll reads one page.
func (s *Source) poll(ctx context.Context, now time.Time) (readings []store.Batch, err error) {
	events, err := s.stream.page(ctx, s.o.Client, now, s.target.Every)
	if err != nil {
		s.learn(err, now)
		return nil, err
	}
	var faults []error
	for _, e := range events {
		batches, err := s.decode(e, now)
		readings = append(readings, batches...)
		if err != nil {
			faults = append(faults, err)
		}
	}
	slices.SortStableFunc(readings, func(a, b store.Batch) int { return a.At.Compare(b.At) })
	if n := len(readings); n > 0 {
		s.status.Notes = readings[n-1].Notes
		if at := readings[n-1].At; at.After(s.stream.newest) {
			s.stream.newest = at
		}
	}
	for i := range readings {
		readings[i].Notes = nil // they are the status's
	}
	switch {
	case len(faults) > 0 && len(readings) == 0:
		return nil, &unreadable{faults[0]}
	case len(faults) > 0:
		s.status.Notes = append(slices.Clone(s.status.Notes), unreadNote(len(faults), len(events), faults[0]))
	}
	return readings, nil
}

// learn draws the consequences of a failed request.
func (s *Source) learn(err error, now time.Time) {
	var invalid *types.InvalidParameterException
	switch {
	case awscall.Throttled(err):
		s.o.Limiter.Slow(now)
	case errors.Is(err, context.DeadlineExceeded):
		s.stream.smaller()
	case errors.As(err, &invalid) && s.stream.token != "":
		from := now.Add(-lookBack)
		if !s.stream.newest.IsZero() {
			from = s.stream.newest.Add(-lateness)
		}
		s.stream.startAgain(from, now) // a token lives for 24 hours
	}
}

// ahead is how far a document's clock may run before ours; further, it is wrong.
const ahead = 5 * time.Minute

// decode turns one event into readings, each with the interval it counted over.
func (s *Source) decode(e types.OutputLogEvent, now time.Time) (out []store.Batch, err error) {
	docs, err := em.Decode([]byte(aws.ToString(e.Message)), time.UnixMilli(aws.ToInt64(e.Timestamp)))
	for _, d := range docs {
		switch {
		case d.At.After(now.Add(ahead)):
			err = errors.New("its time lies in the future")
			continue
		case !d.At.After(s.o.Since):
			continue
		}
		b := d.Batch(cmp.Or(d.Interval, s.target.Every))
		b.Ref = s.o.Ref
		out = append(out, b)
	}
	return out, err
}
