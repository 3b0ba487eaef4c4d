package cloudwatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"stallbook/server/source/awscall"
)

const (
	// Every is how often Collect is to be called. An instance is asked about once
	// in four of these, and at each while an incident is open on it.
	Every = 15 * time.Second
	// Sweep is how often everything is asked for.
	Sweep = time.Minute

	period   = time.Minute // of a datapoint of RDS
	lookBack = 6 * time.Minute
	most     = 500 // queries in one request
	action   = "cloudwatch:GetMetricData"
)

// Account asks one account and region. It may be used by many Sources at once.
type Account struct {
	client  *cloudwatch.Client
	region  string
	meter   *awscall.Meter
	limiter *rate.Limiter
	flight  singleflight.Group

	mu      sync.Mutex
	sources map[*Source]bool
	asked   map[time.Time]*answer // by tick; only the newest is kept
}

// answer is what one round brought.
type answer struct {
	err    error
	points map[string]series // by Metric.key
}

type series struct {
	points []point
	status types.StatusCode
}

type point struct {
	at time.Time
	v  float64
}

// New returns an Account. meter learns how many metrics are asked for, which is
// what they cost by.
func New(cfg aws.Config, meter *awscall.Meter) *Account {
	return &Account{
		client: cloudwatch.NewFromConfig(cfg), region: cfg.Region, meter: meter, limiter: rate.NewLimiter(3, 5),
		sources: map[*Source]bool{}, asked: map[time.Time]*answer{},
	}
}

func (a *Account) join(s *Source)  { a.mu.Lock(); a.sources[s] = true; a.mu.Unlock() }
func (a *Account) leave(s *Source) { a.mu.Lock(); delete(a.sources, s); a.mu.Unlock() }

// round asks once for what all Sources want at this tick.
func (a *Account) round(ctx context.Context, now time.Time) *answer {
	tick := now.Round(Every / 3)
	v := a.flight.DoChan(tick.String(), func() (any, error) {
		a.mu.Lock()
		if kept := a.asked[tick]; kept != nil {
			a.mu.Unlock()
			return kept, nil
		}
		wanted := map[string]Metric{}
		for s := range a.sources {
			for _, m := range s.wanted(now) {
				wanted[m.key()] = m
			}
		}
		a.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Every*2/3)
		defer cancel()
		got := &answer{points: map[string]series{}}
		got.err = a.ask(ctx, slices.SortedFunc(maps.Values(wanted), order), now, got.points)
		a.mu.Lock()
		a.asked = map[time.Time]*answer{tick: got}
		a.mu.Unlock()
		return got, nil
	})
	select {
	case <-ctx.Done():
		return &answer{err: ctx.Err()}
	case r := <-v:
		return r.Val.(*answer)
	}
}

func (a *Account) ask(ctx context.Context, list []Metric, now time.Time, into map[string]series) error {
	var first error
	for part := range slices.Chunk(list, most) {
		if err := a.request(ctx, part, now, into); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// request asks for one batch, page by page.
func (a *Account) request(ctx context.Context, list []Metric, now time.Time, into map[string]series) error {
	in := &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(now.Add(-lookBack).Truncate(period)), EndTime: aws.Time(now.Add(period).Truncate(period)),
		ScanBy: types.ScanByTimestampAscending,
	}
	ids := map[string]string{}
	for i, m := range list {
		id := fmt.Sprintf("m%04d", i) // never a name: only letters, digits and _ may stand there
		ids[id] = m.key()
		in.MetricDataQueries = append(in.MetricDataQueries, query(id, m))
	}
	a.meter.AddMetrics(len(list))
	pages := cloudwatch.NewGetMetricDataPaginator(a.client, in)
	for pages.HasMorePages() {
		if err := a.limiter.Wait(ctx); err != nil {
			return err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, r := range page.MetricDataResults {
			add(into, ids[aws.ToString(r.Id)], r)
		}
	}
	return nil
}

func query(id string, m Metric) types.MetricDataQuery {
	var dims []types.Dimension
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		dims = append(dims, types.Dimension{Name: aws.String(name), Value: aws.String(m.Dimensions[name])})
	}
	return types.MetricDataQuery{Id: aws.String(id), ReturnData: aws.Bool(true), MetricStat: &types.MetricStat{
		Metric: &types.Metric{Namespace: aws.String(m.Namespace), MetricName: aws.String(m.Name), Dimensions: dims},
		Period: aws.Int32(int32(period / time.Second)), Stat: aws.String(m.Stat),
	}}
}

func add(into map[string]series, key string, r types.MetricDataResult) {
	s := into[key]
	s.status = r.StatusCode
	for i := range min(len(r.Timestamps), len(r.Values)) {
		s.points = append(s.points, point{r.Timestamps[i].UTC(), r.Values[i]})
	}
	into[key] = s
}
