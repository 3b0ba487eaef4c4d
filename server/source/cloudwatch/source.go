package cloudwatch

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"stallbook/server/source/awscall"
	"stallbook/store"
)

// Options say what one instance's Source reads.
type Options struct {
	Ref     store.Ref
	What    string // named in messages: the instance, or the latency metric
	Metrics []Metric
	// Incident reports whether an incident is open on the instance; nil = never.
	Incident func() bool
}

// Source reads one instance's part of the account's answers.
type Source struct {
	account *Account
	o       Options

	mu    sync.Mutex
	swept time.Time // of the last full sweep
	close bool      // asked because of an incident

	newest map[string]time.Time // by metric: what was told
	status store.Batch
}

// NewSource joins an account; Close leaves it.
func NewSource(a *Account, o Options) *Source {
	if o.Incident == nil {
		o.Incident = func() bool { return false }
	}
	s := &Source{account: a, o: o, newest: map[string]time.Time{}}
	a.join(s)
	return s
}

// Close implements io.Closer.
func (s *Source) Close() error { s.account.leave(s); return nil }

// Together makes all instances of an account ask in one request.
func (s *Source) Together() string { return "cloudwatch " + s.account.region }

// Connected keeps the poll at its pace: the account limits its requests itself.
func (s *Source) Connected() bool { return true }

// wanted lists what is to be asked for at this tick: everything once a sweep, and
// at each tick while an incident is open.
func (s *Source) wanted(now time.Time) []Metric {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close = s.o.Incident()
	if !s.close && now.Sub(s.swept) < Sweep-Every/2 {
		return nil
	}
	s.swept = now
	return slices.DeleteFunc(slices.Clone(s.o.Metrics), func(m Metric) bool { return m.Close && !s.close })
}

// Collect polls once and returns the newest reading; CollectMany has them all.
func (s *Source) Collect(ctx context.Context, now time.Time) store.Batch {
	readings, status := s.CollectMany(ctx, now)
	if len(readings) == 0 {
		return status
	}
	b := readings[len(readings)-1]
	b.Err, b.Notes = status.Err, status.Notes
	return b
}

// CollectMany implements poll.Many: a reading for each minute that has points
// not told before. A point that is missing is not 0 and not the one before.
func (s *Source) CollectMany(ctx context.Context, now time.Time) (readings []store.Batch, status store.Batch) {
	got := s.account.round(ctx, now)
	s.mu.Lock()
	asked := s.swept.Equal(now) || now.Sub(s.swept).Abs() < Every/3
	s.mu.Unlock()
	status = store.Batch{Ref: s.o.Ref, Source: "cloudwatch", At: now.UTC(), Newest: s.status.Newest, Err: s.status.Err, Notes: s.status.Notes}
	if !asked {
		return nil, status
	}
	readings = s.readings(got)
	status.Err, status.Notes = s.trouble(got), s.notes(got)
	for _, b := range readings {
		if b.At.After(status.Newest) {
			status.Newest = b.At
		}
	}
	s.status = status
	return readings, status
}

func (s *Source) readings(got *answer) []store.Batch {
	byTime := map[time.Time]*store.Batch{}
	for _, m := range s.o.Metrics {
		told := s.newest[m.key()]
		for _, p := range got.points[m.key()].points {
			if !p.at.After(told) {
				continue
			}
			b := byTime[p.at]
			if b == nil {
				b = &store.Batch{Ref: s.o.Ref, Source: "cloudwatch", At: p.at, Elapsed: period}
				byTime[p.at] = b
			}
			b.Samples = append(b.Samples, m.sample(p.v))
			if p.at.After(s.newest[m.key()]) {
				s.newest[m.key()] = p.at
			}
		}
	}
	out := make([]store.Batch, 0, len(byTime))
	for _, b := range byTime {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b store.Batch) int { return a.At.Compare(b.At) })
	return out
}

func (s *Source) trouble(got *answer) string {
	if got.err == nil {
		return ""
	}
	return awscall.Explain(got.err, action, s.o.What+" in "+s.account.region)
}

// notes names the metrics that CloudWatch answered with something else than
// their points.
func (s *Source) notes(got *answer) []string {
	var forbidden, partial []string
	for _, m := range s.o.Metrics {
		switch got.points[m.key()].status {
		case types.StatusCodeForbidden:
			forbidden = append(forbidden, m.Name)
		case types.StatusCodeInternalError:
			partial = append(partial, m.Name)
		}
	}
	var out []string
	if len(forbidden) > 0 {
		out = append(out, "AWS does not permit "+action+" for "+strings.Join(forbidden, ", ")+" of "+s.o.What)
	}
	if len(partial) > 0 {
		out = append(out, "CloudWatch failed on "+strings.Join(partial, ", ")+" of "+s.o.What+"; they are unknown until it answers")
	}
	return out
}
