package rds

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"
)

// Every is how often an account is asked for its instances.
const Every = 15 * time.Second

// The IAM actions the Account uses.
const (
	instancesAction  = "rds:DescribeDBInstances"
	eventsAction     = "rds:DescribeEvents"
	parametersAction = "rds:DescribeDBParameters"
)

// Options describe one account and region.
type Options struct {
	Config aws.Config // region, credentials, endpoint
	// PerSecond bounds the requests; default 3. RDS shares its quota with whatever
	// else runs in the account.
	PerSecond float64
	Now       func() time.Time
}

// Account asks one account and region. It may be used by many Sources at once.
type Account struct {
	client  *rds.Client
	region  string
	now     func() time.Time
	limiter *rate.Limiter
	flight  singleflight.Group
	classes classes
	answers shelf
}

// New returns an Account; it asks nothing yet.
func New(o Options) *Account {
	if o.PerSecond <= 0 {
		o.PerSecond = 3
	}
	return &Account{
		client: rds.NewFromConfig(o.Config), region: o.Config.Region, now: o.Now,
		limiter: rate.NewLimiter(rate.Limit(o.PerSecond), 5),
		classes: classes{client: ec2.NewFromConfig(o.Config), known: map[string]knownClass{}},
		answers: shelf{parameters: map[string]keptParameters{}},
	}
}

// Region is where the account is asked.
func (a *Account) Region() string { return a.region }

// Snapshot is one answer about all instances of the account and region.
type Snapshot struct {
	At   time.Time
	List []types.DBInstance
}

// Find returns the instance of that identifier, or nil.
func (s *Snapshot) Find(id string) *types.DBInstance {
	for i := range s.List {
		if strings.EqualFold(aws.ToString(s.List[i].DBInstanceIdentifier), id) {
			return &s.List[i]
		}
	}
	return nil
}

// Instances returns the answer of the present interval and asks for it when
// nobody did yet. Its error is AWS's, for awscall.Explain. Callers of the same
// moment share one request.
func (a *Account) Instances(ctx context.Context, now time.Time) (*Snapshot, error) {
	if s, err, fresh := a.answers.instances(now); fresh {
		return s, err
	}
	done := a.flight.DoChan("instances", func() (any, error) {
		if s, err, fresh := a.answers.instances(now); fresh {
			return s, err
		}
		// Whoever asked first may be gone before the answer is there; the others wait for it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Every*2/3)
		defer cancel()
		s, err := a.describe(ctx)
		a.answers.keepInstances(now, s, err)
		return s, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		s, _ := r.Val.(*Snapshot)
		return s, r.Err
	}
}

func (a *Account) describe(ctx context.Context) (*Snapshot, error) {
	out := &Snapshot{}
	pages := rds.NewDescribeDBInstancesPaginator(a.client, &rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(100)})
	for pages.HasMorePages() {
		if err := a.limiter.Wait(ctx); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, page.DBInstances...)
	}
	out.At = a.now().UTC()
	return out, nil
}

// lookup asks for one instance alone: a policy may name single instances, and
// then refuses the list of all.
func (a *Account) lookup(ctx context.Context, id string) (*Snapshot, error) {
	if err := a.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	out, err := a.client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(id)})
	if err != nil {
		return nil, err
	}
	return &Snapshot{At: a.now().UTC(), List: out.DBInstances}, nil
}

// Recent returns an answer that is no older than one interval and a half, and
// asks only when there is none: for those who follow along, off the beat.
func (a *Account) Recent(ctx context.Context, now time.Time) (*Snapshot, error) {
	if s, err, ok := a.answers.recent(now); ok {
		return s, err
	}
	return a.Instances(ctx, now)
}
