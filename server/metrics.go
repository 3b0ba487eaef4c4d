package server

import (
	"stallbook/server/config"
	"stallbook/server/discover"
	"stallbook/server/source/cloudwatch"
	"stallbook/server/source/rds"
	"stallbook/store"
)

// startMetrics begins to read CloudWatch for an instance: what it has of RDS, and
// the latency metric that the configuration names.
func (f *fleet) startMetrics(ref store.Ref, at *place, metrics []cloudwatch.Metric, l *config.CloudWatchMetric) error {
	if l != nil {
		metrics = append(metrics, cloudwatch.Latency{Namespace: l.Namespace, Name: l.Metric, Dimensions: l.Dimensions, Seconds: l.Seconds}.Metrics()...)
	}
	src := cloudwatch.NewSource(at.cw, cloudwatch.Options{Ref: ref, What: ref.Instance, Metrics: metrics, Incident: func() bool { return f.suffers(ref) }})
	return f.add(ref, "cloudwatch", src, cloudwatch.Every)
}

// startMetricLatency reads the latency of an instance that is not found through
// the RDS API, with the program's own identity.
func (f *fleet) startMetricLatency(ref store.Ref, l *config.CloudWatchMetric) error {
	at, err := f.places.get(f.ctx, discover.Place{Region: l.Region})
	if err != nil {
		return err
	}
	return f.startMetrics(ref, at, nil, l)
}

// suffers reports whether an incident is open on an instance; without anybody
// who judges there is none.
func (f *fleet) suffers(ref store.Ref) bool { return f.incident != nil && f.incident(ref) }

// balances are the signals by which CloudWatch tells what credit is left.
var balances = map[store.SignalID]func(*rds.Balance) **float64{
	store.MustLookup("cw.burst_balance_pct"):    func(b *rds.Balance) **float64 { return &b.Volume },
	store.MustLookup("cw.ebs_io_balance_pct"):   func(b *rds.Balance) **float64 { return &b.ClassIO },
	store.MustLookup("cw.ebs_byte_balance_pct"): func(b *rds.Balance) **float64 { return &b.ClassBytes },
}

// tellBalance passes on what credit is left to the source that knows the limits.
func (f *fleet) tellBalance(b store.Batch) {
	if b.Source != "cloudwatch" {
		return
	}
	f.mu.Lock()
	src := f.apis[b.Ref]
	f.mu.Unlock()
	if src == nil {
		return
	}
	var found rds.Balance
	for _, s := range b.Samples {
		if field := balances[s.Signal]; field != nil {
			if v, ok := s.Value(0); ok {
				*field(&found) = &v
			}
		}
	}
	src.SetBalance(found)
}
