package enhanced

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"stallbook/server/source/awscall"
)

const (
	// lookBack is how far back a new stream is read. It fills most of what a
	// signature looks at, in one request.
	lookBack = 3 * time.Minute
	// rereadEvery is how often what was read is read again: a document that comes
	// late lands before what a token has passed.
	rereadEvery = time.Minute
	// lateness is how late a document may come and still be found.
	lateness = 2 * time.Minute

	pageEvents  = 1000
	leastEvents = 20
	pageBytes   = 900 << 10 // AWS's own bound is 1 MB
	usualBytes  = 5 << 10   // of one document
)

// Client is the part of cloudwatchlogs.Client that is used.
type Client interface {
	GetLogEvents(context.Context, *cloudwatchlogs.GetLogEventsInput, ...func(*cloudwatchlogs.Options)) (*cloudwatchlogs.GetLogEventsOutput, error)
}

// stream is how far one log stream was read.
type stream struct {
	name   string
	from   time.Time // begin of the stretch that is being read
	token  string    // place in it; "" = its begin
	more   bool      // the last page did not end it
	newest time.Time // of the documents' own times
	seen   map[uint64]int64
	seed   maphash.Seed
	reread time.Time // when the stretch was begun
	limit  int32     // events a page
	bytes  float64   // of one event, as a rule

	retries aws.Retryer
}

func newStream(name string, from, now time.Time) *stream {
	return &stream{name: name, from: from, reread: now, seen: map[uint64]int64{}, seed: maphash.MakeSeed(), limit: pageEvents, bytes: usualBytes, retries: broken()}
}

// broken tries once more what broke on the way. What AWS refused or throttled is
// left to the next turn: a retry would be a request that nobody gave one.
func broken() aws.Retryer {
	refused := retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		if awscall.Code(err) != "" {
			return aws.FalseTernary
		}
		return aws.UnknownTernary
	})
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 2
		o.Retryables = append([]retry.IsErrorRetryable{refused}, retry.DefaultRetryables...)
	})
}

// page asks for what comes next and returns the events that are new. every is
// the time between two documents.
func (s *stream) page(ctx context.Context, client Client, now time.Time, every time.Duration) ([]types.OutputLogEvent, error) {
	if !s.more && now.Sub(s.reread) >= rereadEvery {
		s.overlap(now, every)
	}
	in := &cloudwatchlogs.GetLogEventsInput{
		LogGroupName: aws.String(LogGroup), LogStreamName: aws.String(s.name),
		StartTime: aws.Int64(s.from.UnixMilli()), StartFromHead: aws.Bool(true), Limit: aws.Int32(s.limit),
	}
	if s.token != "" {
		in.NextToken = aws.String(s.token)
	}
	out, err := client.GetLogEvents(ctx, in, func(o *cloudwatchlogs.Options) { o.Retryer = s.retries })
	if err != nil {
		return nil, err
	}
	next := aws.ToString(out.NextForwardToken)
	moved := next != s.token
	s.more = moved && (len(out.Events) == 0 || s.full(out.Events))
	s.token = next
	s.limit = min(pageEvents, s.limit+leastEvents)
	return s.unseen(out.Events), nil
}

// full reports that a page ended because it was full and not because there was
// no more: by number, or by AWS's bound of its size.
func (s *stream) full(events []types.OutputLogEvent) bool {
	size := 0
	for _, e := range events {
		size += len(aws.ToString(e.Message))
	}
	s.bytes += (float64(size)/float64(len(events)) - s.bytes) / 8
	return len(events) >= int(s.limit) || size > pageBytes
}

// overlap begins again before what was read, by as much as still fits into the
// page that is due anyway: looking for late documents must cost no turn that
// new ones need.
func (s *stream) overlap(now time.Time, every time.Duration) {
	if s.newest.IsZero() || s.newest.After(now) {
		return
	}
	fits := min(float64(s.limit), pageBytes/s.bytes) * 0.9
	room := time.Duration(fits*float64(max(every, time.Second))) - now.Sub(s.newest)
	back := min(now.Sub(s.reread)+lateness, room)
	if back <= 0 {
		return
	}
	s.startAgain(s.newest.Add(-back), now)
}

// startAgain begins a stretch.
func (s *stream) startAgain(from, now time.Time) {
	s.from, s.token, s.more, s.reread = from, "", false, now
	for sum, atMs := range s.seen {
		if atMs < from.Add(-lateness).UnixMilli() {
			delete(s.seen, sum)
		}
	}
}

// unseen drops what came before, by its text, which holds the time: the same
// document must not count twice, whatever the event around it says.
func (s *stream) unseen(events []types.OutputLogEvent) []types.OutputLogEvent {
	var out []types.OutputLogEvent
	for _, e := range events {
		sum := maphash.String(s.seed, aws.ToString(e.Message))
		if _, had := s.seen[sum]; had {
			continue
		}
		s.seen[sum] = aws.ToInt64(e.Timestamp)
		out = append(out, e)
	}
	return out
}

// smaller asks for less at a time after an answer did not come in time.
func (s *stream) smaller() { s.limit = max(leastEvents, s.limit/2) }
