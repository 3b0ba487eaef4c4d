package rds

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

const (
	eventsEvery = time.Minute
	// eventsOverlap asks again for what may have been written late.
	eventsOverlap = 5 * time.Minute
)

// eventBook is what the account's events gave so far.
type eventBook struct {
	askedAt time.Time
	since   time.Time // nothing older is told: a restart must not tell the timeline twice
	err     error
	list    []types.Event // of the last answer's stretch
}

// Events returns the instance events written since the Account was first asked,
// as far as the last stretch holds them; Sources drop what they told already.
func (a *Account) Events(ctx context.Context, now time.Time) ([]types.Event, error) {
	_, err, _ := a.flight.Do("events", func() (any, error) {
		a.answers.mu.Lock()
		book := a.answers.events
		a.answers.mu.Unlock()
		if !book.askedAt.IsZero() && now.Sub(book.askedAt) < eventsEvery-Every/2 {
			return nil, book.err
		}
		if book.since.IsZero() {
			book.since = now
		}
		from := book.since
		if late := now.Add(-eventsEvery - eventsOverlap); late.After(from) {
			from = late
		}
		list, err := a.describeEvents(ctx, from)
		book.askedAt, book.err = now, err
		if err == nil {
			book.list = list
		}
		a.answers.mu.Lock()
		a.answers.events = book
		a.answers.mu.Unlock()
		return nil, err
	})
	a.answers.mu.Lock()
	defer a.answers.mu.Unlock()
	return a.answers.events.list, err
}

func (a *Account) describeEvents(ctx context.Context, from time.Time) ([]types.Event, error) {
	var out []types.Event
	pages := rds.NewDescribeEventsPaginator(a.client, &rds.DescribeEventsInput{
		SourceType: types.SourceTypeDbInstance, StartTime: aws.Time(from), MaxRecords: aws.Int32(100),
	})
	for pages.HasMorePages() {
		if err := a.limiter.Wait(ctx); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Events...)
	}
	return out, nil
}

// told remembers which events an instance's timeline has.
type told map[string]time.Time

func (t told) first(e types.Event) bool {
	key := aws.ToTime(e.Date).UTC().Format(time.RFC3339Nano) + aws.ToString(e.Message)
	_, known := t[key]
	t[key] = aws.ToTime(e.Date)
	return !known
}

// forget drops what no later answer can hold.
func (t told) forget(now time.Time) {
	for key, at := range t {
		if now.Sub(at) > time.Hour {
			delete(t, key)
		}
	}
}

func about(e types.Event, id string) bool {
	return strings.EqualFold(aws.ToString(e.SourceIdentifier), id)
}
