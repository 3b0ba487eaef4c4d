package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"stallbook/server/config"
	"stallbook/server/discover"
	"stallbook/server/source/awscall"
	"stallbook/server/source/cloudwatch"
	"stallbook/server/source/enhanced"
	"stallbook/server/source/rds"
)

// place is one AWS account and region with the clients that all its instances
// share: limits of requests are per account and region.
type place struct {
	discover.Place
	cfg   aws.Config
	meter *awscall.Meter
	rds   *rds.Account
	logs  *cloudwatchlogs.Client
	turns *enhanced.Limiter // of requests for log events
	cw    *cloudwatch.Account
}

// places keeps one place for each account and region in use.
type places struct {
	mu   sync.Mutex
	list map[string]*place
}

func placeOf(r *config.RDS) discover.Place {
	return discover.Place{Region: r.Region, AssumeRole: r.AssumeRole, Profile: r.Profile, Endpoint: r.Endpoint}
}

// get returns the place, made at its first use.
func (p *places) get(ctx context.Context, where discover.Place) (*place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(where)
	if found := p.list[key]; found != nil {
		return found, nil
	}
	meter := awscall.NewMeter(time.Now)
	cfg, err := discover.Config(ctx, where, meter)
	if err != nil {
		return nil, err
	}
	made := &place{Place: where, cfg: cfg, meter: meter, rds: rds.New(rds.Options{Config: cfg, Now: time.Now}),
		cw: cloudwatch.New(cfg, meter), logs: cloudwatchlogs.NewFromConfig(cfg), turns: enhanced.NewLimiter(enhanced.DefaultRate)}
	if p.list == nil {
		p.list = map[string]*place{}
	}
	p.list[key] = made
	return made, nil
}

// all returns the places in use, in a stable order.
func (p *places) all() []*place {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*place
	for _, key := range slices.Sorted(maps.Keys(p.list)) {
		out = append(out, p.list[key])
	}
	return out
}
