package latency

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

var inf = math.Inf(1)

func values(b store.Batch) map[string]float64 {
	out := map[string]float64{}
	for _, s := range b.Samples {
		if v, ok := s.Value(b.Elapsed); ok {
			out[s.Signal.Name()] = v
		}
	}
	return out
}

func TestQuantile(t *testing.T) {
	b := buckets{[]float64{0.01, 0.1, 1, inf}, []float64{50, 90, 100, 100}}
	for _, c := range []struct {
		name string
		b    buckets
		q    float64
		want float64
	}{
		{"at a bound", b, 0.5, 0.01},
		{"within the first bucket", b, 0.25, 0.005},
		{"within a later one", b, 0.99, 0.91},
		{"all in one bucket", buckets{[]float64{1, 2, inf}, []float64{0, 10, 10}}, 0.5, 1.5},
		{"beyond the last bound", buckets{[]float64{1, 2, inf}, []float64{0, 0, 10}}, 0.5, 2},
		{"only +Inf", buckets{[]float64{inf}, []float64{10}}, 0.5, 0},
		{"nothing finished", buckets{[]float64{1, inf}, []float64{0, 0}}, 0.5, math.NaN()},
		{"no series", buckets{}, 0.5, math.NaN()},
	} {
		if got := c.b.quantile(c.q); math.Abs(got-c.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBucketsOfDifferentBounds(t *testing.T) {
	sum := buckets{[]float64{1, inf}, []float64{5, 10}}.add(buckets{[]float64{1, 2, inf}, []float64{1, 2, 4}})
	if fmt.Sprint(sum) != "{[1 2 +Inf] [6 7 14]}" {
		t.Errorf("sum %v", sum)
	}
}

// page writes a histogram of two series.
func page(fast, slow [4]int) string {
	var b strings.Builder
	b.WriteString("# TYPE http_request_duration_seconds histogram\n")
	for route, n := range map[string][4]int{"/fast": fast, "/slow": slow} {
		for i, le := range []string{"0.01", "0.1", "1", "+Inf"} {
			fmt.Fprintf(&b, "http_request_duration_seconds_bucket{route=%q,le=%q} %d\n", route, le, n[i])
		}
		fmt.Fprintf(&b, "http_request_duration_seconds_sum{route=%q} 1\nhttp_request_duration_seconds_count{route=%q} %d\n", route, route, n[3])
	}
	return b.String() + "# TYPE up gauge\nup 1\n"
}

func startHistogram(t *testing.T, o HistogramOptions) (text *string, h *Histogram) {
	t.Helper()
	text = new(string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, *text) }))
	t.Cleanup(srv.Close)
	o.URL = srv.URL + "/metrics"
	h, err := NewHistogram(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return text, h
}

func TestHistogramCollect(t *testing.T) {
	text, h := startHistogram(t, HistogramOptions{Histogram: "http_request_duration_seconds_bucket"})
	collect := func(fast, slow [4]int) store.Batch {
		*text = page(fast, slow)
		return h.Collect(t.Context(), time.Now())
	}
	b := collect([4]int{10, 10, 10, 10}, [4]int{0, 0, 0, 0})
	if b.Err != "" || len(b.Samples) != 0 || !strings.Contains(b.Facts["latency.from"], "http_request_duration_seconds") {
		t.Fatalf("first reading: %q, %v, %v", b.Err, b.Samples, b.Facts)
	}
	b = collect([4]int{110, 110, 110, 110}, [4]int{0, 0, 100, 100})
	got := values(b)
	if math.Abs(got["latency.p50_ms"]-10) > 1e-6 || math.Abs(got["latency.p99_ms"]-982) > 1e-6 || b.Samples[0].N != 200 {
		t.Errorf("%v", got)
	}
	b = collect([4]int{110, 110, 110, 110}, [4]int{0, 0, 100, 100})
	if got = values(b); len(got) != 1 || got["latency.rate"] != 0 {
		t.Errorf("no request finished: %v, want a rate of 0 and nothing else", got)
	}
	b = collect([4]int{1, 1, 1, 1}, [4]int{0, 0, 1, 1})
	if len(b.Samples) != 0 || len(b.Events) != 1 || b.Events[0].Kind != "reset" {
		t.Errorf("after a restart: %v, %v", b.Samples, b.Events)
	}
	b = collect([4]int{2, 2, 2, 2}, [4]int{0, 0, 1, 1})
	if got = values(b); math.Abs(got["latency.p50_ms"]-5) > 1e-6 {
		t.Errorf("after the gap: %v", got)
	}
}

func TestHistogramMatch(t *testing.T) {
	text, h := startHistogram(t, HistogramOptions{Histogram: "http_request_duration_seconds", Match: map[string]string{"route": "/slow"}})
	*text = page([4]int{}, [4]int{})
	h.Collect(t.Context(), time.Now())
	*text = page([4]int{1000, 1000, 1000, 1000}, [4]int{0, 0, 10, 10})
	if b := h.Collect(t.Context(), time.Now()); b.Samples[0].N != 10 || values(b)["latency.p50_ms"] < 100 {
		t.Errorf("%v", values(b))
	}
}

func TestHistogramErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		match map[string]string
		page  string
		says  string
	}{
		{"http_requests_duration_seconds", nil, page([4]int{}, [4]int{}), "did you mean http_request_duration_seconds?"},
		{"latency", nil, page([4]int{}, [4]int{}), "its histograms are http_request_duration_seconds"},
		{"latency", nil, "up 1\n", "no histogram at all"},
		{"up", nil, "up 1\n", "is no histogram"},
		{"http_request_duration_seconds", map[string]string{"job": "api"}, page([4]int{}, [4]int{}), `{job="api"}; the first has {route="/`},
	} {
		text, h := startHistogram(t, HistogramOptions{Histogram: c.name, Match: c.match})
		*text = c.page
		if b := h.Collect(t.Context(), time.Now()); !strings.Contains(b.Err, c.says) || !h.Connected() {
			t.Errorf("%s %v: %q, want ...%s", c.name, c.match, b.Err, c.says)
		}
	}
	if _, err := NewHistogram(HistogramOptions{URL: "http://x/"}); err == nil || !strings.Contains(err.Error(), "histogram is missing") {
		t.Error(err)
	}
	if _, err := NewHistogram(HistogramOptions{Histogram: "x", URL: "x:1"}); err == nil || !strings.Contains(err.Error(), "latency.prometheus.url") {
		t.Error(err)
	}
}
