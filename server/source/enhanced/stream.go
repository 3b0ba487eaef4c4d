package enhanced

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
)

const (
	// lookBack is how far back a new stream is read. It fills most of what a
	// signature looks at, in one request.
	lookBack = 3 * time.Minute
	// rereadEvery and rereadPolls say how often a stretch that was read is read
	// again: a document that comes late lands before what a token has passed.
	// With long waits for a turn, pages that bring nothing new must stay few.
	rereadEvery = time.Minute
	rereadPolls = 5
	// lateness is how late a document may come and still be found.
	lateness = 2 * time.Minute
	// mostBack bounds what is read again after a long silence of ours.
	mostBack = 15 * time.Minute

	pageEvents  = 200 // of 5 kB each this is AWS's own bound of 1 MB
	leastEvents = 10
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
	polls  int       // pages since
	limit  int32     // events a page
}

func newStream(name string, from, now time.Time) *stream {
	return &stream{name: name, from: from, reread: now, seen: map[uint64]int64{}, seed: maphash.MakeSeed(), limit: pageEvents}
}

// page asks for what comes next and returns the events that are new.
func (s *stream) page(ctx context.Context, client Client, now time.Time) ([]types.OutputLogEvent, error) {
	if !s.more && now.Sub(s.reread) >= rereadEvery && s.polls >= rereadPolls {
		s.startAgain(now)
	}
	in := &cloudwatchlogs.GetLogEventsInput{
		LogGroupName: aws.String(LogGroup), LogStreamName: aws.String(s.name),
		StartTime: aws.Int64(s.from.UnixMilli()), StartFromHead: aws.Bool(true), Limit: aws.Int32(s.limit),
	}
	if s.token != "" {
		in.NextToken = aws.String(s.token)
	}
	// One attempt: a retry would be a request that nobody gave a turn.
	out, err := client.GetLogEvents(ctx, in, func(o *cloudwatchlogs.Options) { o.RetryMaxAttempts = 1 })
	if err != nil {
		return nil, err
	}
	s.polls++
	next := aws.ToString(out.NextForwardToken)
	moved := next != s.token
	s.more = moved && (len(out.Events) == 0 || full(out.Events, int(s.limit)))
	s.token = next
	s.limit = min(pageEvents, s.limit+leastEvents)
	return s.unseen(out.Events), nil
}

// full reports that a page ended because it was full and not because there was
// no more: by number, or by AWS's bound of 1 MB.
func full(events []types.OutputLogEvent, limit int) bool {
	if len(events) >= limit {
		return true
	}
	size := 0
	for _, e := range events {
		size += len(aws.ToString(e.Message))
	}
	return size > 900<<10
}

// startAgain begins a stretch that overlaps what was read.
func (s *stream) startAgain(now time.Time) {
	back := now.Sub(s.reread) + lateness
	from := s.newest
	if from.IsZero() || from.After(now) {
		from = now
	}
	s.from = from.Add(-min(back, mostBack))
	s.token, s.polls, s.reread = "", 0, now
	for sum, atMs := range s.seen {
		if atMs < s.from.Add(-time.Minute).UnixMilli() {
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
