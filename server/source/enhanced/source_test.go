package enhanced

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"stallbook/server/source/awsfake"
	"stallbook/store"
)

var (
	ref  = store.Ref{Cluster: "billing", Instance: "billing-1"}
	noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// rig is one source, the real client and the fake, with a clock of its own.
type rig struct {
	t      *testing.T
	aws    *awsfake.Server
	limits *Limiter
	target Target
	now    time.Time
	src    *Source
	doc    string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, aws: awsfake.New(), limits: NewLimiter(1000), target: Target{"db-A", time.Second}, now: noon, doc: plainDocument(t)}
	t.Cleanup(r.aws.Close)
	r.src = r.source(ref)
	return r
}

func (r *rig) source(ref store.Ref) *Source {
	return New(Options{Ref: ref, Client: cloudwatchlogs.NewFromConfig(r.aws.Config()), Limiter: r.limits, Target: func() Target { return r.target }})
}

// plainDocument is a real document on one line with %s for its time.
func plainDocument(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../store/em/testdata/psql-10.json")
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(strings.ReplaceAll(line.String(), "%", "%%"), "2025-07-02T12:59:19Z", "%s", 1)
}

// log writes the document of one second, in seconds before or after noon.
func (r *rig) log(stream string, seconds ...int) {
	for _, s := range seconds {
		at := noon.Add(time.Duration(s) * time.Second)
		r.aws.Log(stream, at, fmt.Sprintf(r.doc, at.Format(time.RFC3339)))
	}
}

// poll collects after d and returns the seconds of what came, and the status.
func (r *rig) poll(d time.Duration) (string, store.Batch) {
	r.t.Helper()
	r.now = r.now.Add(d)
	readings, status := r.src.CollectMany(r.t.Context(), r.now)
	return secondsOf(r.t, readings), status
}

func secondsOf(t *testing.T, readings []store.Batch) string {
	t.Helper()
	var out []string
	for _, b := range readings {
		if b.Ref != ref || b.Source != "enhanced" || len(b.Samples) < 8 {
			t.Errorf("a reading of %s by %s with %d samples", b.Ref, b.Source, len(b.Samples))
		}
		out = append(out, fmt.Sprint(int(b.At.Sub(noon).Seconds())))
	}
	return strings.Join(out, " ")
}

func (r *rig) want(d time.Duration, seconds, err string) store.Batch {
	r.t.Helper()
	got, status := r.poll(d)
	if got != seconds {
		r.t.Errorf("%v after noon: readings of %q, want %q", r.now.Sub(noon), got, seconds)
	}
	if err == "" && status.Err != "" || !strings.Contains(status.Err, err) {
		r.t.Errorf("%v after noon: error %q, want %q", r.now.Sub(noon), status.Err, err)
	}
	for _, secret := range []string{awsfake.SecretKey, awsfake.SessionToken, awsfake.AccessKey, awsfake.Account} {
		if strings.Contains(fmt.Sprint(status), secret) {
			r.t.Errorf("a secret in %v", status)
		}
	}
	return status
}

func TestEveryDocumentOnceAtItsOwnTime(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -400, -170, -2, -1)
	status := r.want(0, "-170 -2 -1", "")
	if !status.Newest.Equal(noon.Add(-time.Second)) {
		t.Errorf("newest %v", status.Newest)
	}
	r.log("db-A", 0, 1, 1)
	r.want(2*time.Second, "0 1", "")
	r.want(2*time.Second, "", "")
	r.log("db-A", 2, 3, 5)
	r.want(2*time.Second, "2 3 5", "")
	readings, _ := r.src.CollectMany(t.Context(), r.now)
	if len(readings) != 0 {
		t.Error("readings came twice")
	}
}

// A late document lands before the place the token stands for, and is found by
// reading the last minutes again, which gives nothing else twice.
func TestLateDocumentsAreFound(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -2, -1)
	r.want(0, "-2 -1", "")
	r.log("db-A", -30)
	var late []string
	for range 40 {
		if got, _ := r.poll(2 * time.Second); got != "" {
			late = append(late, fmt.Sprint(got, " at ", r.now.Sub(noon)))
		}
	}
	if len(late) != 1 || !strings.HasPrefix(late[0], "-30 at 1m") {
		t.Errorf("late readings %q, want the one of -30 soon after a minute", late)
	}
}

func TestPagesWithoutEventsAreNotTheEnd(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -1)
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Empty, Times: 2})
	r.want(0, "", "")
	r.want(time.Millisecond, "", "")
	r.want(time.Millisecond, "-1", "")
}

func TestManyPages(t *testing.T) {
	r := newRig(t)
	r.aws.PageEvents = 50
	for s := -120; s < 0; s++ {
		r.log("db-A", s)
	}
	var all []string
	for range 6 {
		got, _ := r.poll(2 * time.Second)
		all = append(all, strings.Fields(got)...)
	}
	if len(all) != 120 {
		t.Errorf("%d of 120 documents", len(all))
	}
}

func TestThrottle(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -1)
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Throttled, Times: 1})
	r.want(0, "", "AWS throttles logs:GetLogEvents for billing-1")
	if n := len(r.aws.Calls("GetLogEvents")); n != 1 {
		t.Errorf("%d requests, but a retry is one that nobody gave a turn", n)
	}
	if asked, now := r.limits.Rate(); now != asked/2 {
		t.Errorf("%v requests a second after a throttle, %v before", now, asked)
	}
	r.want(2*time.Second, "", "AWS throttles")
	r.want(4*time.Second, "-1", "")
}

func TestRefusalNamesActionAndInstance(t *testing.T) {
	r := newRig(t)
	r.aws.AddStream("db-A")
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Denied, Times: 1})
	r.want(0, "", "logs:GetLogEvents for billing-1")
	for range 20 {
		r.poll(2 * time.Second)
	}
	if n := len(r.aws.Calls("GetLogEvents")); n != 1 {
		t.Errorf("%d requests in 40 s of refusal", n)
	}
	r.log("db-A", 50)
	r.want(30*time.Second, "50", "")
}

// One missing stream, one instance without monitoring and one throttle leave
// the others alone.
func TestOneTroubleSilencesNoOther(t *testing.T) {
	r := newRig(t)
	other := Target{"db-GONE", time.Second}
	gone := New(Options{Ref: store.Ref{Cluster: "billing", Instance: "gone"}, Client: cloudwatchlogs.NewFromConfig(r.aws.Config()), Limiter: r.limits, Target: func() Target { return other }})
	r.log("db-A", -1)
	if _, status := gone.CollectMany(t.Context(), r.now); !strings.Contains(status.Err, "no stream db-GONE for gone") {
		t.Errorf("a missing stream: %q", status.Err)
	}
	r.want(time.Second, "-1", "")
	other.Every = 0
	before := len(r.aws.Calls(""))
	if _, status := gone.CollectMany(t.Context(), r.now.Add(time.Minute)); !strings.Contains(status.Err, "Enhanced Monitoring is off for gone") || len(r.aws.Calls("")) != before {
		t.Errorf("monitoring off: %q after %d requests", status.Err, len(r.aws.Calls(""))-before)
	}
	other = Target{}
	if _, status := New(Options{Ref: ref, Limiter: r.limits, Target: func() Target { return other }}).CollectMany(t.Context(), r.now); !strings.Contains(status.Err, "rds:DescribeDBInstances") {
		t.Errorf("no stream known: %q", status.Err)
	}
}

// After a blue/green switch the name belongs to another server: its documents of
// before are none of this instance's.
func TestSwitchedResourceID(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -3, -2)
	r.want(0, "-3 -2", "")
	r.log("db-B", -60, -10, -1, 0)
	r.target.Stream = "db-B"
	status := r.want(2*time.Second, "-1 0", "")
	if !status.Restart || len(status.Events) != 1 || !strings.Contains(status.Events[0].Text, "db-B") {
		t.Errorf("status %+v", status)
	}
	r.log("db-A", 3)
	r.log("db-B", 3)
	if status := r.want(2*time.Second, "3", ""); status.Restart || len(status.Events) != 0 {
		t.Errorf("status %+v", status)
	}
}

func TestSilentAndUnreadableStreams(t *testing.T) {
	r := newRig(t)
	r.aws.AddStream("db-A")
	r.want(0, "", "")
	r.want(2*time.Second, "", "has no document of the last minutes")
	r.log("db-A", 3)
	r.want(2*time.Second, "3", "")
	if status := r.want(3*time.Minute, "", "the monitoring agent is silent"); !status.Newest.Equal(noon.Add(3 * time.Second)) {
		t.Errorf("newest %v", status.Newest)
	}
	r.aws.Log("db-A", r.now, `{"engine":"SqlServer","instanceID":"billing-1","processList":[{"name":"alice 10.1.2.3"}]}`)
	r.want(time.Minute, "", "billing-1 runs SqlServer")
	r.log("db-A", 244, 245)
	r.aws.Log("db-A", r.now.Add(time.Second), `{"engine":"POSTGRES","processList":[{"name":"alice 10.1.2.3"`)
	status := r.want(time.Minute, "244 245", "")
	if len(status.Notes) != 1 || !strings.Contains(status.Notes[0], "1 of 3") || strings.Contains(fmt.Sprint(status), "alice") {
		t.Errorf("notes %q", status.Notes)
	}
}

func TestCoarseMonitoringIsAskedSeldom(t *testing.T) {
	r := newRig(t)
	r.target.Every = time.Minute
	r.log("db-A", -1)
	for range 150 {
		r.poll(2 * time.Second)
	}
	if n := len(r.aws.Calls("GetLogEvents")); n < 18 || n > 24 {
		t.Errorf("%d requests in five minutes with a document a minute", n)
	}
}

func TestSlowAnswersAreAskedForInSmallerPages(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -1)
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Slow, Delay: time.Minute, Times: 1})
	ctx, cancel := contextFor(t, 100*time.Millisecond)
	defer cancel()
	if _, status := r.src.CollectMany(ctx, r.now); !strings.Contains(status.Err, "no answer in time") || r.src.stream.limit != pageEvents/2 {
		t.Errorf("%q, %d events a page", status.Err, r.src.stream.limit)
	}
	r.want(2*time.Second, "-1", "")
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Cut, Times: 1})
	r.want(2*time.Second, "", "")
	r.aws.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Broken, Times: 2})
	r.want(2*time.Second, "", "logs:GetLogEvents for billing-1: the endpoint answered with HTTP status 503")
}

// What the history holds from before a restart is not read again, not even when
// looking for late documents.
func TestGoesOnWhereTheHistoryEnds(t *testing.T) {
	r := newRig(t)
	r.src.o.Since = noon.Add(-2 * time.Second)
	r.log("db-A", -90, -2, -1, 300) // a clock may be 5 minutes ahead
	r.log("db-A", 900)
	status := r.want(0, "-1 300", "")
	if len(status.Notes) != 1 || !strings.Contains(status.Notes[0], "lies in the future") {
		t.Errorf("notes %q of a document that is 15 minutes ahead", status.Notes)
	}
	for range 40 {
		r.want(2*time.Second, "", "")
	}
}

// A token lives for a day; one that does not count any more must not end the
// reading.
func TestTokenThatIsRefused(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -2, -1)
	r.want(0, "-2 -1", "")
	r.src.stream.token = "expired"
	r.log("db-A", 1)
	r.want(2*time.Second, "", "InvalidParameterException")
	r.want(4*time.Second, "1", "")
}

func TestCollectGivesTheNewest(t *testing.T) {
	r := newRig(t)
	r.log("db-A", -2, -1)
	b := r.src.Collect(t.Context(), r.now)
	if !b.At.Equal(noon.Add(-time.Second)) || b.Err != "" || len(b.Samples) < 8 {
		t.Errorf("%+v", b)
	}
}
