package awscall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// Meter counts the requests of one account and region, and remembers which
// actions AWS refuses.
type Meter struct {
	now func() time.Time

	mu      sync.Mutex
	since   time.Time
	actions map[string]*Count
}

// Count is how often an action was asked for since the Meter began.
type Count struct {
	Action    string // rds:DescribeDBInstances
	Requests  int64  // attempts, retries included
	Throttled int64
	Metrics   int64     // metrics asked for by GetMetricData, which is what that costs by
	Denied    bool      // the latest answer was a refusal
	DeniedAt  time.Time // when it last was
}

// NewMeter begins to count at now().
func NewMeter(now func() time.Time) *Meter {
	return &Meter{now: now, since: now(), actions: map[string]*Count{}}
}

// Attach makes every client of cfg count.
func (m *Meter) Attach(cfg *aws.Config) {
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("stallbook.Meter",
			func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
				out, meta, err := next.HandleDeserialize(ctx, in)
				m.saw(action(awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)), err)
				return out, meta, err
			}), middleware.Before)
	})
}

func action(service, operation string) string {
	return cmp.Or(prefixes[service], strings.ToLower(service)) + ":" + operation
}

func (m *Meter) saw(action string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.count(action)
	c.Requests++
	switch {
	case Denied(err):
		c.Denied, c.DeniedAt = true, m.now()
	case Throttled(err):
		c.Throttled++
	case err == nil:
		c.Denied = false
	}
}

// AddMetrics notes how many metrics a GetMetricData asked for.
func (m *Meter) AddMetrics(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count("cloudwatch:GetMetricData").Metrics += int64(n)
}

func (m *Meter) count(action string) *Count {
	c := m.actions[action]
	if c == nil {
		c = &Count{Action: action}
		m.actions[action] = c
	}
	return c
}

// Counts returns the counts by action, and for how long they were taken.
func (m *Meter) Counts() (over time.Duration, list []Count) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.actions)) {
		list = append(list, *m.actions[name])
	}
	return m.now().Sub(m.since), list
}
