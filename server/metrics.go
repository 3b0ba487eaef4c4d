package server

import (
	"stallbook/server/config"
	"stallbook/server/source/cloudwatch"
	"stallbook/server/source/rds"
	"stallbook/store"
)

// metricsOf reads CloudWatch for an instance: what it has of RDS, and the latency
// metric that the configuration names.
func (f *fleet) metricsOf(ref store.Ref, at *place, metrics []cloudwatch.Metric, l *config.CloudWatchMetric) named {
	if l != nil {
		metrics = append(metrics, cloudwatch.Latency{Namespace: l.Namespace, Name: l.Metric, Dimensions: l.Dimensions, Seconds: l.Seconds}.Metrics()...)
	}
	return named{"cloudwatch", cloudwatch.NewSource(at.cw, cloudwatch.Options{
		Ref: ref, What: ref.Instance, Metrics: metrics, Incident: func() bool { return f.suffers(ref) },
	}), cloudwatch.Every}
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
