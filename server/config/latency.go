package config

import (
	"regexp"
	"strings"
	"time"
)

// DefaultProbeEvery is the pause between two commits of the probe.
const DefaultProbeEvery = 200 * time.Millisecond

func (r *reader) latency(raw *latency, path string) Latency {
	if raw == nil {
		return Latency{}
	}
	kinds := 0
	for _, key := range []string{"prometheus", "statements", "probe", "cloudwatch"} {
		if r.has(path + "." + key) {
			kinds++
		}
	}
	if kinds > 1 {
		r.add(path, "%s: choose one of prometheus, statements, probe, cloudwatch: two sources would give one signal", path)
	}
	switch {
	case raw.Prometheus != nil:
		return Latency{Kind: LatencyPrometheus, Prometheus: r.histogram(raw.Prometheus, path+".prometheus")}
	case r.has(path + ".probe"):
		every := ""
		if raw.Probe != nil {
			every = raw.Probe.Every
		}
		return Latency{Kind: LatencyProbe, ProbeEvery: r.duration(every, path+".probe.every", DefaultProbeEvery, 50*time.Millisecond)}
	case raw.CloudWatch != nil:
		return Latency{Kind: LatencyCloudWatch, CloudWatch: r.cloudWatch(raw.CloudWatch, path+".cloudwatch")}
	case raw.Statements != "":
		return Latency{Kind: r.statements(raw.Statements, path+".statements")}
	case kinds == 0:
		r.missing(path, "prometheus", "choose one of prometheus, statements, probe, cloudwatch, or leave latency out")
	}
	return Latency{}
}

func (r *reader) statements(text, path string) LatencyKind {
	switch strings.ToLower(r.expand(text, path)) {
	case "true", "yes", "on":
		return LatencyStatements
	case "false", "no", "off":
		return LatencyNone
	}
	r.add(path, "%s: %q is neither true nor false", path, text)
	return LatencyAuto
}

var metricForm = regexp.MustCompile(`^[A-Za-z_:][A-Za-z0-9_:]*$`)

func (r *reader) histogram(raw *prometheus, path string) *PrometheusHistogram {
	out := &PrometheusHistogram{
		URL:       r.scrapeURL(raw.URL, path),
		Histogram: strings.TrimSuffix(r.expand(raw.Histogram, path+".histogram"), "_bucket"),
		Match:     map[string]string{},
	}
	switch {
	case out.Histogram == "":
		r.missing(path, "histogram", "the name of the histogram, such as http_request_duration_seconds")
	case !metricForm.MatchString(out.Histogram):
		r.add(path+".histogram", "%s.histogram: %q is no metric name", path, raw.Histogram)
	}
	for label, value := range raw.Match {
		out.Match[label] = r.expand(value, path+".match."+label)
	}
	return out
}
