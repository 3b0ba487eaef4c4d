package cloudwatch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"

	"stallbook/server/source/awscall"
	"stallbook/server/source/awsfake"
	"stallbook/store"
)

type rig struct {
	fake    *awsfake.Server
	account *Account
	meter   *awscall.Meter
	now     time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	fake := awsfake.New()
	t.Cleanup(fake.Close)
	cfg, meter := fake.Config(), awscall.NewMeter(time.Now)
	meter.Attach(&cfg)
	return &rig{fake: fake, account: New(cfg, meter), meter: meter, now: time.Date(2026, 12, 1, 10, 0, 20, 0, time.UTC)}
}

func (r *rig) source(id string, o Options) *Source {
	o.Ref, o.What = store.Ref{Cluster: "billing", Instance: id}, id
	if o.Metrics == nil {
		o.Metrics = OfInstance(id, true)
	}
	return NewSource(r.account, o)
}

func (r *rig) set(id, name, stat string, points ...awsfake.Point) {
	r.fake.SetMetric(awsfake.Metric{Namespace: "AWS/RDS", Name: name, Stat: stat, Dimensions: map[string]string{"DBInstanceIdentifier": id}}, points...)
}

func minute(n int) time.Time { return time.Date(2026, 12, 1, 9, 55+n, 0, 0, time.UTC) }

func values(b store.Batch) map[string]float64 {
	out := map[string]float64{}
	for _, s := range b.Samples {
		if v, ok := s.Value(b.Elapsed); ok {
			out[s.Signal.Name()] = v
		}
	}
	return out
}

func TestPointsStandAtTheirOwnTime(t *testing.T) {
	r := newRig(t)
	s := r.source("billing-1", Options{})
	r.set("billing-1", "BurstBalance", "Minimum", awsfake.Point{At: minute(0), V: 14}, awsfake.Point{At: minute(1), V: 6})
	r.set("billing-1", "WriteLatency", "Average", awsfake.Point{At: minute(1), V: 0.25})
	r.set("billing-1", "FreeStorageSpace", "Minimum", awsfake.Point{At: minute(1), V: 10 << 30})
	readings, status := s.CollectMany(t.Context(), r.now)
	if status.Err != "" || len(readings) != 2 || !readings[0].At.Equal(minute(0)) || !readings[1].At.Equal(minute(1)) || !status.Newest.Equal(minute(1)) {
		t.Fatalf("readings %+v, status %+v", readings, status)
	}
	first, second := values(readings[0]), values(readings[1])
	if len(first) != 1 || first["cw.burst_balance_pct"] != 14 {
		t.Errorf("first minute %v: what has no point is absent", first)
	}
	if second["cw.burst_balance_pct"] != 6 || second["cw.write_latency_ms"] != 250 || second["cw.free_storage_kib"] != 10<<20 || len(second) != 3 {
		t.Errorf("second minute %v", second)
	}
	if again, _ := s.CollectMany(t.Context(), r.now.Add(Every)); len(again) != 0 || len(r.fake.Calls("GetMetricData")) != 1 {
		t.Errorf("asked again within a sweep: %v", again)
	}
	r.set("billing-1", "BurstBalance", "Minimum", awsfake.Point{At: minute(1), V: 6}, awsfake.Point{At: minute(3), V: 0})
	next, _ := s.CollectMany(t.Context(), r.now.Add(Sweep))
	if len(next) != 1 || !next[0].At.Equal(minute(3)) || values(next[0])["cw.burst_balance_pct"] != 0 {
		t.Errorf("the next sweep told %+v: minute 2 is missing and stays so", next)
	}
}

func TestBatchesAreAsLargeAsAllowed(t *testing.T) {
	r := newRig(t)
	var all []*Source
	for i := range 120 {
		id := fmt.Sprintf("db-%d", i)
		r.set(id, "ReadLatency", "Average", awsfake.Point{At: minute(1), V: float64(i) / 1000})
		all = append(all, r.source(id, Options{}))
	}
	for i, s := range all {
		readings, status := s.CollectMany(t.Context(), r.now)
		if status.Err != "" || len(readings) != 1 || values(readings[0])["cw.read_latency_ms"] != float64(i) {
			t.Fatalf("instance %d: %+v, %q", i, readings, status.Err)
		}
	}
	sizes := map[int]int{}
	for _, c := range r.fake.Calls("GetMetricData") {
		list, _ := c.CBOR["MetricDataQueries"].(cbor.List)
		if _, more := c.CBOR["NextToken"]; !more {
			sizes[len(list)]++
		}
	}
	if sizes[500] != 1 || sizes[220] != 1 || len(sizes) != 2 {
		t.Errorf("720 metrics went in requests of %v", sizes)
	}
	if _, counts := r.meter.Counts(); len(counts) != 1 || counts[0].Metrics != 720 || counts[0].Requests < 2 {
		t.Errorf("counted %+v", counts)
	}
}

func TestCloserWhileAnIncidentIsOpen(t *testing.T) {
	r := newRig(t)
	open := false
	s := r.source("billing-1", Options{Incident: func() bool { return open }})
	ask := func(after time.Duration) int {
		before := len(r.fake.Calls("GetMetricData"))
		s.CollectMany(t.Context(), r.now.Add(after))
		calls := r.fake.Calls("GetMetricData")
		if len(calls) == before {
			return 0
		}
		list, _ := calls[len(calls)-1].CBOR["MetricDataQueries"].(cbor.List)
		return len(list)
	}
	cheap, quiet := ask(0), ask(Every)
	open = true
	first, second := ask(2*Every), ask(3*Every)
	if cheap != 6 || quiet != 0 || first != 12 || second != 12 {
		t.Errorf("asked for %d, %d, then with an incident %d, %d metrics", cheap, quiet, first, second)
	}
}

func TestPercentilesOfALoadBalancer(t *testing.T) {
	r := newRig(t)
	l := Latency{Namespace: "AWS/ApplicationELB", Name: "TargetResponseTime", Dimensions: map[string]string{"LoadBalancer": "app/billing/1"}, Seconds: true}
	for stat, v := range map[string]float64{"p50": 0.012, "p99": 0.9, "SampleCount": 600} {
		r.fake.SetMetric(awsfake.Metric{Namespace: l.Namespace, Name: l.Name, Stat: stat, Dimensions: l.Dimensions}, awsfake.Point{At: minute(2), V: v})
	}
	s := r.source("billing-1", Options{Metrics: l.Metrics()})
	readings, _ := s.CollectMany(t.Context(), r.now)
	if len(readings) != 1 {
		t.Fatalf("readings %+v", readings)
	}
	got := values(readings[0])
	if got["latency.p50_ms"] != 12 || got["latency.p99_ms"] != 900 || got["latency.rate"] != 10 {
		t.Errorf("%v", got)
	}
}

func TestTroubleIsNamedAndNothingIsZero(t *testing.T) {
	for kind, want := range map[awsfake.Kind]string{
		awsfake.Denied:    "does not permit cloudwatch:GetMetricData for billing-1 in eu-west-1",
		awsfake.Throttled: "throttles cloudwatch:GetMetricData for billing-1",
		awsfake.Broken:    "HTTP status 503",
	} {
		r := newRig(t)
		s := r.source("billing-1", Options{})
		r.fake.Fail("GetMetricData", awsfake.Fault{Kind: kind})
		readings, status := s.CollectMany(t.Context(), r.now)
		if len(readings) != 0 || !strings.Contains(status.Err, want) || strings.Contains(status.Err, "assumed-role") {
			t.Errorf("fault %d: %d readings, %q", kind, len(readings), status.Err)
		}
		r.fake.Heal("GetMetricData")
		if _, status = s.CollectMany(t.Context(), r.now.Add(Sweep)); status.Err != "" {
			t.Errorf("healed: %q", status.Err)
		}
	}
	r := newRig(t)
	s := r.source("billing-1", Options{})
	r.fake.SetMetricStatus(awsfake.Metric{Namespace: "AWS/RDS", Name: "BurstBalance", Stat: "Minimum", Dimensions: map[string]string{"DBInstanceIdentifier": "billing-1"}}, "Forbidden")
	if _, status := s.CollectMany(t.Context(), r.now); len(status.Notes) != 1 || !strings.Contains(status.Notes[0], "BurstBalance of billing-1") {
		t.Errorf("notes %q", status.Notes)
	}
}
