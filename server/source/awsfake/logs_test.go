package awsfake_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/smithy-go"

	"stallbook/server/source/awsfake"
)

var midnight = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

type reader struct {
	t      *testing.T
	client *cloudwatchlogs.Client
}

// read asks for one page and returns its messages and its token.
func (r reader) read(token *string, from time.Time) (string, *string) {
	r.t.Helper()
	in := &cloudwatchlogs.GetLogEventsInput{LogGroupName: aws.String(awsfake.LogGroup), LogStreamName: aws.String("db-A"), NextToken: token, StartFromHead: aws.Bool(true)}
	if token == nil {
		in.StartTime = aws.Int64(from.UnixMilli())
	}
	out, err := r.client.GetLogEvents(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []string
	for _, e := range out.Events {
		all = append(all, aws.ToString(e.Message))
	}
	return strings.Join(all, ""), out.NextForwardToken
}

func TestLogEventsByToken(t *testing.T) {
	s := started(t)
	s.PageEvents = 3
	for i := range 5 {
		s.Log("db-A", midnight.Add(time.Duration(i)*time.Second), fmt.Sprint(i))
	}
	r := reader{t, cloudwatchlogs.NewFromConfig(s.Config())}
	got, token := r.read(nil, midnight.Add(time.Second))
	if got != "123" {
		t.Errorf("first page %q", got)
	}
	s.Fail("GetLogEvents", awsfake.Fault{Kind: awsfake.Empty, Times: 1, Only: awsfake.OnStream("db-A")})
	got, again := r.read(token, midnight)
	if got != "" || *again == *token {
		t.Errorf("an empty page in between: %q, token %s after %s", got, *again, *token)
	}
	if got, token = r.read(again, midnight); got != "4" {
		t.Errorf("second page %q", got)
	}
	if got, again = r.read(token, midnight); got != "" || *again != *token {
		t.Errorf("the end: %q, %s after %s", got, *again, *token)
	}
	s.Log("db-A", midnight.Add(1500*time.Millisecond), "late")
	s.Log("db-A", midnight.Add(4*time.Second), "same")
	if got, _ = r.read(token, midnight); got != "same" {
		t.Errorf("a late event is behind the token: %q", got)
	}
	if got, _ = r.read(nil, midnight.Add(time.Second)); got != "1late2" {
		t.Errorf("read again by time: %q", got)
	}
}

func TestLogErrors(t *testing.T) {
	s := started(t)
	s.AddStream("db-A")
	client := cloudwatchlogs.NewFromConfig(s.Config(), func(o *cloudwatchlogs.Options) { o.RetryMaxAttempts = 1 })
	filter := func(streams ...string) error {
		_, err := client.FilterLogEvents(t.Context(), &cloudwatchlogs.FilterLogEventsInput{LogGroupName: aws.String(awsfake.LogGroup), LogStreamNames: streams})
		return err
	}
	var missing *types.ResourceNotFoundException
	if err := filter("db-A"); err != nil {
		t.Error(err)
	}
	if err := filter("db-A", "db-GONE"); !errors.As(err, &missing) {
		t.Errorf("one missing stream fails the whole request, but: %v", err)
	}
	s.Quota("FilterLogEvents", 0.001, 2)
	var throttled *types.ThrottlingException
	if err := errors.Join(filter("db-A"), filter("db-A")); err != nil {
		t.Errorf("within the quota: %v", err)
	}
	if err := filter("db-A"); !errors.As(err, &throttled) {
		t.Errorf("beyond the quota: %v", err)
	}
	s.Heal("FilterLogEvents")
	s.Fail("FilterLogEvents", awsfake.Fault{Kind: awsfake.Denied})
	var denied smithy.APIError
	if err := filter("db-A"); !errors.As(err, &denied) || denied.ErrorCode() != "AccessDeniedException" || !strings.Contains(denied.ErrorMessage(), "logs:FilterLogEvents") {
		t.Errorf("denied: %v", err)
	}
	s.Heal("FilterLogEvents")
	s.RemoveStream("db-A")
	streams, err := client.DescribeLogStreams(t.Context(), &cloudwatchlogs.DescribeLogStreamsInput{LogGroupName: aws.String(awsfake.LogGroup)})
	if err != nil || len(streams.LogStreams) != 0 {
		t.Errorf("streams %v, %v", streams, err)
	}
}

func TestUnsignedRequestsAreRefused(t *testing.T) {
	s := started(t)
	cfg := s.Config()
	cfg.Credentials = aws.AnonymousCredentials{}
	_, err := cloudwatchlogs.NewFromConfig(cfg).DescribeLogStreams(t.Context(), &cloudwatchlogs.DescribeLogStreamsInput{LogGroupName: aws.String(awsfake.LogGroup)})
	if err == nil || len(s.Calls("")) != 0 {
		t.Errorf("an unsigned request was answered: %v", err)
	}
}
