package cloudwatch

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"stallbook/store"
)

// Metric is one series to ask for and the signal it becomes.
type Metric struct {
	Namespace, Name, Stat string
	Dimensions            map[string]string
	Signal                string  // name in the catalogue
	Factor                float64 // from the metric's unit to the signal's
	Close                 bool    // only while an incident is open on the instance
	// PerSecond divides by the period: a count becomes a rate.
	PerSecond bool
}

func (m Metric) key() string {
	var b strings.Builder
	b.WriteString(m.Namespace + "\x00" + m.Name + "\x00" + m.Stat)
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		b.WriteString("\x00" + name + "=" + m.Dimensions[name])
	}
	return b.String()
}

const (
	sToMs  = 1000.0
	bToKiB = 1.0 / 1024
)

// OfInstance lists what is asked about an RDS instance. What Enhanced Monitoring
// tells by the second is asked for only while an incident is open: each metric
// costs money. gp2 says whether the volume has burst credit.
func OfInstance(id string, gp2 bool) []Metric {
	m := func(name, stat, signal string, factor float64, close bool) Metric {
		return Metric{Namespace: "AWS/RDS", Name: name, Stat: stat, Signal: signal, Factor: factor, Close: close,
			Dimensions: map[string]string{"DBInstanceIdentifier": id}}
	}
	list := []Metric{
		m("BurstBalance", "Minimum", "cw.burst_balance_pct", 1, false),
		m("EBSIOBalance%", "Minimum", "cw.ebs_io_balance_pct", 1, false),
		m("EBSByteBalance%", "Minimum", "cw.ebs_byte_balance_pct", 1, false),
		m("ReadLatency", "Average", "cw.read_latency_ms", sToMs, false),
		m("WriteLatency", "Average", "cw.write_latency_ms", sToMs, false),
		m("FreeStorageSpace", "Minimum", "cw.free_storage_kib", bToKiB, false),
		m("ReadIOPS", "Average", "cw.read_iops", 1, true),
		m("WriteIOPS", "Average", "cw.write_iops", 1, true),
		m("ReadThroughput", "Average", "cw.read_kib_s", bToKiB, true),
		m("WriteThroughput", "Average", "cw.write_kib_s", bToKiB, true),
		m("DiskQueueDepth", "Average", "cw.queue", 1, true),
		m("ReplicaLag", "Average", "cw.replica_lag_s", 1, true),
	}
	if !gp2 {
		list = list[1:]
	}
	return list
}

// Latency is a metric of the user's: its percentiles, and how many requests it
// stands for.
type Latency struct {
	Namespace, Name string
	Dimensions      map[string]string
	Seconds         bool // its unit, else milliseconds
}

// Metrics are the series of a latency metric.
func (l Latency) Metrics() []Metric {
	factor := 1.0
	if l.Seconds {
		factor = sToMs
	}
	m := func(stat, signal string, factor float64) Metric {
		return Metric{Namespace: l.Namespace, Name: l.Name, Dimensions: l.Dimensions, Stat: stat, Signal: signal, Factor: factor}
	}
	rate := m("SampleCount", "latency.rate", 1)
	rate.PerSecond = true
	return []Metric{m("p50", "latency.p50_ms", factor), m("p99", "latency.p99_ms", factor), rate}
}

// sample turns a value into a sample; minute is the period in seconds.
func (m Metric) sample(v float64) store.Sample {
	v *= m.Factor
	if m.PerSecond {
		v /= period.Seconds()
	}
	return store.SampleOf(store.MustLookup(m.Signal), "", v, period)
}

// order keeps batches of queries alike from one sweep to the next.
func order(a, b Metric) int { return cmp.Compare(a.key(), b.key()) }
