package web

import (
	"log/slog"
	"net/http"
	"runtime"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"stallbook/store"
)

// metrics writes what an operator watches about stallbook itself, in
// Prometheus' text format. A figure nobody has is left out, not written as 0.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	open, err := s.openNow(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	families := append(s.ownFamilies(), incidentFamily(open))
	families = append(families, s.sourceFamilies()...)
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	w.Header().Set("Content-Type", string(format))
	enc := expfmt.NewEncoder(w, format)
	for _, f := range families {
		if len(f.Metric) == 0 {
			continue
		}
		if err := enc.Encode(f); err != nil {
			slog.Warn("metrics could not be written", "error", err)
			return
		}
	}
}

func (s *Server) ownFamilies() []*dto.MetricFamily {
	h := s.d.History.Health()
	build := gauge("stallbook_build_info", "Version of the running program, always 1.")
	add(build, 1, "version", s.d.Site.Version, "goversion", runtime.Version())
	ok := gauge("stallbook_history_ok", "1 while the history is being kept on disk.")
	add(ok, yesNo(h.OK))
	size := gauge("stallbook_history_bytes", "Size of the history file with its write-ahead log.")
	add(size, float64(h.Bytes))
	dropped := counter("stallbook_history_dropped_batches_total", "Readings that could not be kept since the start.")
	add(dropped, float64(h.Dropped))
	readers := gauge("stallbook_event_readers", "Open pages connected to the event stream.")
	add(readers, float64(s.d.Hub.Readers()))
	return []*dto.MetricFamily{build, ok, size, dropped, readers}
}

func incidentFamily(open []store.Incident) *dto.MetricFamily {
	type key struct{ cluster, runbook, severity string }
	counts := map[key]float64{}
	var order []key
	for _, in := range open {
		k := key{in.Cluster, in.Runbook, string(in.Severity)}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	f := gauge("stallbook_incidents_open", "Open incidents.")
	for _, k := range order {
		add(f, counts[k], "cluster", k.cluster, "runbook", k.runbook, "severity", k.severity)
	}
	return f
}

func (s *Server) sourceFamilies() []*dto.MetricFamily {
	ok := gauge("stallbook_source_ok", "1 when the source's last reading succeeded.")
	age := gauge("stallbook_source_age_seconds", "Age of the source's last good reading; absent when there was none.")
	took := gauge("stallbook_source_poll_seconds", "Duration of the source's last reading.")
	now := s.d.Now()
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			for _, src := range v.Instance(ref).Sources() {
				labels := []string{"cluster", ref.Cluster, "instance", ref.Instance, "source", src.Source}
				if !src.LastTry.IsZero() {
					add(ok, yesNo(src.OK), labels...)
				}
				if a, known := src.Age(now); known {
					add(age, a.Seconds(), labels...)
				}
				if src.Took > 0 {
					add(took, src.Took.Seconds(), labels...)
				}
			}
		}
	})
	return []*dto.MetricFamily{ok, age, took}
}

func gauge(name, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
}

func counter(name, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_COUNTER.Enum()}
}

// add appends one line; labels are name and value in turn.
func add(f *dto.MetricFamily, v float64, labels ...string) {
	m := &dto.Metric{}
	for i := 0; i+1 < len(labels); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
	}
	if f.GetType() == dto.MetricType_COUNTER {
		m.Counter = &dto.Counter{Value: &v}
	} else {
		m.Gauge = &dto.Gauge{Value: &v}
	}
	f.Metric = append(f.Metric, m)
}

func yesNo(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
