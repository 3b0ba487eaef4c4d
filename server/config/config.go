package config

import (
	"time"

	"stallbook/store"
)

// Config is a whole configuration file, checked.
type Config struct {
	File      string // path as given to Load
	Listen    string // host:port
	PublicURL string // for links that leave the program, no trailing slash; "" = not given
	BasePath  string // "" or "/stallbook"
	Database  string // SQLite file
	Runbooks  []string
	Retention store.Retention
	TLS       *TLS // nil = plain HTTP
	Clusters  []Cluster
	Mute      []Mute // windows that cover every cluster

	thresholds []override // with their lines, for Check
}

// TLS names the server's own certificate and key, PEM files.
type TLS struct{ Cert, Key string }

// Cluster is a primary and its standbys.
type Cluster struct {
	Name      string
	Instances []Instance
	// RDS names instances that are found through the RDS API, in place of
	// Instances; nil = none.
	RDS *RDS `json:",omitempty"`
	// Thresholds replaces a clause's threshold: runbook slug, clause id, value
	// in the clause's own unit.
	Thresholds map[string]map[string]float64
	Mute       []Mute
}

// Instance is one Postgres server and the sources around it.
type Instance struct {
	Name         string
	Postgres     Secret // libpq URL or keyword form
	Databases    Databases
	NodeExporter *NodeExporter // nil = not configured
	Disk         Disk
	Latency      Latency // its own, or its cluster's
}

// Databases says which databases the per-table loop visits.
type Databases struct {
	All   bool     // every one the role may connect to
	Names []string // these; empty and not All = the one in the connection string
}

// NodeExporter is where the disk counters of an instance are scraped.
type NodeExporter struct {
	URL     Secret // a URL may carry a password
	Device  string // block device, "" = found by DataDir or by its being the only one
	DataDir string // path on the instance, "" = asked from Postgres
}

// Disk holds limits that the operator knows. nil = not given, which is unknown.
type Disk struct {
	IOPSLimit *float64 // I/Os per second
	KiBSLimit *float64 // KiB per second
}

// LatencyKind says how request latency is learnt.
type LatencyKind string

// The kinds. The zero value means: from pg_stat_statements where it is there.
const (
	LatencyAuto       LatencyKind = ""
	LatencyPrometheus LatencyKind = "prometheus"
	LatencyStatements LatencyKind = "statements"
	LatencyProbe      LatencyKind = "probe"
	LatencyNone       LatencyKind = "none"
	LatencyCloudWatch LatencyKind = "cloudwatch"
)

// Latency is the source of an instance's request latency.
type Latency struct {
	Kind       LatencyKind
	Prometheus *PrometheusHistogram // only for LatencyPrometheus
	ProbeEvery time.Duration        // only for LatencyProbe
	CloudWatch *CloudWatchMetric    `json:",omitempty"` // only for LatencyCloudWatch
}

// PrometheusHistogram is a histogram that an application exports.
type PrometheusHistogram struct {
	URL       Secret
	Histogram string            // metric name without _bucket
	Match     map[string]string // labels a series must have
}

// Mute is a stretch of time in which incidents open silently.
type Mute struct {
	From, To time.Time
	Why      string
}

// Cluster returns the cluster of that name, or nil.
func (c *Config) Cluster(name string) *Cluster {
	for i := range c.Clusters {
		if c.Clusters[i].Name == name {
			return &c.Clusters[i]
		}
	}
	return nil
}

// Muted says whether a mute window covers the cluster at a moment, and why.
// From is inside the window, To is not.
func (c *Config) Muted(cluster string, at time.Time) (why string, muted bool) {
	windows := c.Mute
	if cl := c.Cluster(cluster); cl != nil {
		windows = append(windows[:len(windows):len(windows)], cl.Mute...)
	}
	for _, w := range windows {
		if !at.Before(w.From) && at.Before(w.To) {
			return w.Why, true
		}
	}
	return "", false
}
