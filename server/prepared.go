package server

import (
	"fmt"
	"reflect"
	"time"

	"stallbook/server/config"
	"stallbook/server/discover"
	"stallbook/server/poll"
	"stallbook/server/source/latency"
	"stallbook/server/source/nodeexporter"
	"stallbook/server/source/postgres"
	"stallbook/store"
)

// prepared is one listed instance with its sources, made but not started: what
// can't be made is found before anything that runs is stopped.
type prepared struct {
	in      config.Instance
	disk    *nodeexporter.Source // nil without node_exporter
	sources []named
}

type named struct {
	name  string
	src   poll.Source
	every time.Duration
}

// prepare makes the sources of every listed instance that is new or changed. A
// nil entry stands for one that goes on as it is.
func (f *fleet) prepare(cfg *config.Config) (map[store.Ref]*prepared, error) {
	out := map[store.Ref]*prepared{}
	for _, c := range cfg.Clusters {
		for _, in := range c.Instances {
			ref := store.Ref{Cluster: c.Name, Instance: in.Name}
			if old, runs := f.running[ref]; runs && reflect.DeepEqual(old, in) {
				out[ref] = nil
				continue
			}
			p, err := f.prepareOne(ref, in)
			if err != nil {
				return nil, err
			}
			out[ref] = p
		}
	}
	return out, nil
}

func (f *fleet) prepareOne(ref store.Ref, in config.Instance) (*prepared, error) {
	pg, err := postgres.New(postgres.Options{Ref: ref, DSN: in.Postgres.Reveal(), Databases: databases(in.Databases)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	p := &prepared{in: in, sources: []named{{"postgres", pg, everySecond}}}
	if ne := in.NodeExporter; ne != nil {
		p.disk, err = nodeexporter.New(nodeexporter.Options{
			Ref: ref, URL: ne.URL.Reveal(), Device: ne.Device, DataDir: ne.DataDir, Limits: limits(in.Disk),
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ref, err)
		}
		p.sources = append(p.sources, named{"nodeexporter", p.disk, everySecond})
	}
	var l []named
	if in.Latency.Kind == config.LatencyCloudWatch {
		l, err = f.metricLatency(ref, in.Latency.CloudWatch)
	} else {
		l, err = latencyOf(in.Postgres, in.Latency, pg)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: latency: %w", ref, err)
	}
	p.sources = append(p.sources, l...)
	return p, nil
}

// metricLatency reads the latency of an instance that is not found through the
// RDS API, with the program's own identity.
func (f *fleet) metricLatency(ref store.Ref, l *config.CloudWatchMetric) ([]named, error) {
	at, err := f.places.get(f.ctx, discover.Place{Region: l.Region})
	if err != nil {
		return nil, err
	}
	return []named{f.metricsOf(ref, at, nil, l)}, nil
}

// latencyOf makes the source of latency that goes with one connection string;
// none where there is none or it is among CloudWatch's metrics.
func latencyOf(dsn config.Secret, l config.Latency, pg *postgres.Source) ([]named, error) {
	switch l.Kind {
	case config.LatencyPrometheus:
		src, err := latency.NewHistogram(latency.HistogramOptions{
			URL: l.Prometheus.URL.Reveal(), Histogram: l.Prometheus.Histogram, Match: l.Prometheus.Match,
		})
		return []named{{"latency", src, everySecond}}, err
	case config.LatencyProbe:
		src, err := latency.NewProbe(latency.ProbeOptions{DSN: dsn.Reveal(), Every: l.ProbeEvery})
		return []named{{"latency", src, everySecond}}, err
	case config.LatencyAuto, config.LatencyStatements:
		return []named{{"latency", latency.NewStatements(pg), statementsEvery}}, nil
	}
	return nil, nil
}
