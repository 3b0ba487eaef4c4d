package enhanced

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"stallbook/server/source/awsfake"
	"stallbook/store"
)

// fleet is many instances at one second through one limiter, with the real
// client and the fake, in virtual time.
type fleet struct {
	aws     *awsfake.Server
	sources []*Source
	doc     string
	newest  []time.Time
	got     []int
	lag     []time.Duration
}

func newFleet(tb testing.TB, instances int, rate float64) *fleet {
	f := &fleet{aws: awsfake.New(), doc: plainDocument(tb), newest: make([]time.Time, instances), got: make([]int, instances)}
	tb.Cleanup(f.aws.Close)
	client, limits := cloudwatchlogs.NewFromConfig(f.aws.Config()), NewLimiter(rate)
	for i := range instances {
		target := Target{fmt.Sprintf("db-%03d", i), time.Second}
		f.sources = append(f.sources, New(Options{
			Ref: store.Ref{Cluster: "fleet", Instance: fmt.Sprint(i)}, Client: client, Limiter: limits, Target: func() Target { return target },
		}))
	}
	return f
}

// second writes every instance's document of one second, lets half of them poll,
// as each does every two seconds, and measures how far behind all of them are.
func (f *fleet) second(tb testing.TB, n int, measure bool) {
	at := noon.Add(time.Duration(n) * time.Second)
	message := fmt.Sprintf(f.doc, at.Format(time.RFC3339))
	for i := range f.sources {
		f.aws.Log(fmt.Sprintf("db-%03d", i), at, message)
	}
	for i, src := range f.sources {
		if i%2 != n%2 {
			continue
		}
		readings, status := src.CollectMany(tb.Context(), at.Add(time.Duration(i)*time.Second/time.Duration(len(f.sources))))
		if len(readings) > 0 {
			f.newest[i] = readings[len(readings)-1].At
			f.got[i] += len(readings)
		}
		if status.Err != "" && !f.newest[i].IsZero() {
			tb.Fatal(status.Err)
		}
	}
	for i := range f.sources {
		if measure {
			f.lag = append(f.lag, at.Add(time.Second).Sub(f.newest[i]))
		}
	}
}

// run goes through warm seconds and then measures for as many again.
func (f *fleet) run(tb testing.TB, warm int) (p50, p99 time.Duration, requests float64) {
	for n := range warm {
		f.second(tb, n, false)
	}
	before := len(f.aws.Calls("GetLogEvents"))
	for n := range warm {
		f.second(tb, warm+n, true)
	}
	slices.Sort(f.lag)
	last := len(f.lag) - 1
	return f.lag[last/2], f.lag[last*99/100], float64(len(f.aws.Calls("GetLogEvents"))-before) / float64(warm)
}

// TestFairTurns: whoever waits, waits as long as the others, and every document
// comes once.
func TestFairTurns(t *testing.T) {
	const seconds = 40
	f := newFleet(t, 30, 3)
	_, p99, requests := f.run(t, seconds)
	if requests > 3.1 || requests < 2.7 {
		t.Errorf("%.2f requests a second, 3 are allowed", requests)
	}
	if p99 > 14*time.Second {
		t.Errorf("p99 of the lag %v; 30 instances take turns of 10 s", p99)
	}
	for i, n := range f.got {
		want := int(f.newest[i].Sub(noon).Seconds()) + 1
		if n != want {
			t.Errorf("instance %d: %d documents, want each of %d seconds once", i, n, want)
		}
	}
}

// BenchmarkLag prints how far behind the newest document an instance is.
func BenchmarkLag(b *testing.B) {
	for _, c := range []struct {
		instances int
		rate      float64
	}{{3, 3}, {20, 3}, {200, 3}, {200, 10}} {
		b.Run(fmt.Sprintf("instances=%d/requests=%g", c.instances, c.rate), func(b *testing.B) {
			for range b.N {
				p50, p99, requests := newFleet(b, c.instances, c.rate).run(b, 200)
				b.ReportMetric(p50.Seconds(), "s-p50")
				b.ReportMetric(p99.Seconds(), "s-p99")
				b.ReportMetric(requests, "requests/s")
			}
		})
	}
}
