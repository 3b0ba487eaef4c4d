package latency

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"stallbook/server/source/scrape"
	"stallbook/store"
)

// HistogramOptions say which histogram to scrape.
type HistogramOptions struct {
	Ref       store.Ref
	URL       string            // of the application's metrics page
	Histogram string            // http_request_duration_seconds; seconds unless the name says milliseconds
	Match     map[string]string // labels that its series must have; all matching ones are summed
}

// Histogram reads a Prometheus histogram. Collect is not for concurrent use.
type Histogram struct {
	o      HistogramOptions
	client *scrape.Client
	toMs   float64
	last   map[string]buckets // by series; nil before the first reading
	lastAt time.Time
}

// NewHistogram returns the source; the error says which option is wrong.
func NewHistogram(o HistogramOptions) (*Histogram, error) {
	if o.Histogram == "" {
		return nil, errors.New("latency.prometheus.histogram is missing: the name of a histogram, like http_request_duration_seconds")
	}
	o.Histogram = strings.TrimSuffix(o.Histogram, "_bucket")
	client, err := scrape.New(o.URL)
	if err != nil {
		return nil, fmt.Errorf("latency.prometheus.url: %w", err)
	}
	toMs := 1000.0
	if strings.HasSuffix(o.Histogram, "_ms") || strings.HasSuffix(o.Histogram, "_milliseconds") {
		toMs = 1
	}
	return &Histogram{o: o, client: client, toMs: toMs}, nil
}

// Connected reports whether the last Collect reached the application.
func (h *Histogram) Connected() bool { return h.client.Reached() }

// Close drops the connection.
func (h *Histogram) Close() error { return h.client.Close() }

// Collect scrapes once. Percentiles are those of the requests that finished
// since the last reading, and absent when none did.
func (h *Histogram) Collect(ctx context.Context, now time.Time) store.Batch {
	b := store.Batch{Ref: h.o.Ref, Source: Name, At: now}
	page, err := h.client.Get(ctx, nil)
	if err != nil {
		b.Err = err.Error()
		return b
	}
	series, err := h.series(page)
	if err != nil {
		b.Err = err.Error()
		return b
	}
	if h.last == nil {
		b.Facts = map[string]string{fromFact: "histogram " + h.o.Histogram + " of the application"}
	}
	h.compare(page.At, series, &b)
	h.last, h.lastAt = series, page.At
	return b
}

// compare adds up what each series gained. A new series counts from zero: it
// begins with its first request.
func (h *Histogram) compare(at time.Time, series map[string]buckets, b *store.Batch) {
	if h.last == nil {
		return
	}
	var gained buckets
	for key, is := range series {
		d, ok := is.since(h.last[key])
		if !ok {
			b.Events = append(b.Events, store.Event{At: b.At, Ref: b.Ref, Kind: "reset", Text: "the application's latency histogram began anew (restart)"})
			return
		}
		gained = gained.add(d)
	}
	b.Elapsed = at.Sub(h.lastAt)
	requests(b, gained.total())
	quantiles(b, gained.quantile(0.5)*h.toMs, gained.quantile(0.99)*h.toMs)
}

// series returns the matching series of the page.
func (h *Histogram) series(page scrape.Page) (map[string]buckets, error) {
	all := page.Family(h.o.Histogram)
	if len(all) == 0 {
		return nil, fmt.Errorf("the page has no %s%s", h.o.Histogram, otherHistograms(page, h.o.Histogram))
	}
	out := map[string]buckets{}
	for _, m := range all {
		if !h.matches(m) {
			continue
		}
		if m.Histogram == nil {
			return nil, fmt.Errorf("%s is no histogram: percentiles need one with _bucket series", h.o.Histogram)
		}
		out[labelKey(m)] = bucketsOf(m.Histogram)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no series of %s has the labels %s; the first has %s. Labels that Prometheus adds by itself (job, instance) do not stand on the page",
			h.o.Histogram, words(h.o.Match), labelKey(all[0]))
	}
	return out, nil
}

func (h *Histogram) matches(m *dto.Metric) bool {
	for name, value := range h.o.Match {
		if scrape.Label(m, name) != value {
			return false
		}
	}
	return true
}

func bucketsOf(h *dto.Histogram) buckets {
	var b buckets
	for _, x := range h.GetBucket() {
		b.bounds = append(b.bounds, x.GetUpperBound())
		b.counts = append(b.counts, float64(x.GetCumulativeCount()))
	}
	if n := len(b.bounds); n == 0 || !math.IsInf(b.bounds[n-1], 1) {
		b.bounds = append(b.bounds, math.Inf(1))
		b.counts = append(b.counts, float64(h.GetSampleCount()))
	}
	return b
}

func labelKey(m *dto.Metric) string {
	labels := map[string]string{}
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return words(labels)
}

func words(labels map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, fmt.Sprintf("%s=%q", name, labels[name]))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// otherHistograms names what the page has instead.
func otherHistograms(page scrape.Page, wanted string) string {
	names := page.Histograms()
	switch near := store.Nearest(wanted, names); {
	case near != "":
		return fmt.Sprintf("; did you mean %s?", near)
	case len(names) > 0:
		return "; its histograms are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	return ", and no histogram at all"
}
