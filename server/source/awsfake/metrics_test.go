package awsfake_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/smithy-go"

	"stallbook/server/source/awsfake"
)

func TestMetricsAsTheClientReadsThem(t *testing.T) {
	s := started(t)
	s.PageRecords = 1
	at := time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
	burst := awsfake.Metric{Namespace: "AWS/RDS", Name: "EBSIOBalance%", Stat: "Average", Dimensions: map[string]string{"DBInstanceIdentifier": "a"}}
	s.SetMetric(burst, awsfake.Point{At: at, V: 99.5}, awsfake.Point{At: at.Add(time.Minute), V: 98}, awsfake.Point{At: at.Add(time.Hour), V: 1})
	query := func(id, name string) types.MetricDataQuery {
		return types.MetricDataQuery{Id: aws.String(id), MetricStat: &types.MetricStat{Period: aws.Int32(60), Stat: aws.String("Average"), Metric: &types.Metric{
			Namespace: aws.String("AWS/RDS"), MetricName: aws.String(name),
			Dimensions: []types.Dimension{{Name: aws.String("DBInstanceIdentifier"), Value: aws.String("a")}}}}}
	}
	client := cloudwatch.NewFromConfig(s.Config())
	in := &cloudwatch.GetMetricDataInput{StartTime: aws.Time(at), EndTime: aws.Time(at.Add(5 * time.Minute)),
		MetricDataQueries: []types.MetricDataQuery{query("m1", "EBSIOBalance%"), query("m2", "BurstBalance")}}
	var got []types.MetricDataResult
	for pages := cloudwatch.NewGetMetricDataPaginator(client, in); pages.HasMorePages(); {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, out.MetricDataResults...)
	}
	if len(got) != 2 || *got[0].Id != "m1" || len(got[0].Values) != 2 || got[0].Values[0] != 98 || !got[0].Timestamps[1].Equal(at) ||
		got[1].StatusCode != types.StatusCodeComplete || len(got[1].Values) != 0 {
		t.Errorf("got %+v", got)
	}
	s.SetMetricStatus(burst, "Forbidden")
	out, err := client.GetMetricData(t.Context(), in)
	if err != nil || out.MetricDataResults[0].StatusCode != types.StatusCodeForbidden {
		t.Errorf("got %+v, %v", out, err)
	}
	s.Fail("GetMetricData", awsfake.Fault{Kind: awsfake.Denied})
	var api smithy.APIError
	if _, err := client.GetMetricData(t.Context(), in); !errors.As(err, &api) || api.ErrorCode() != "AccessDenied" {
		t.Errorf("denied: %v", err)
	}
}

func TestTooManyQueries(t *testing.T) {
	s := started(t)
	in := &cloudwatch.GetMetricDataInput{StartTime: aws.Time(time.Unix(0, 0)), EndTime: aws.Time(time.Unix(60, 0)), MetricDataQueries: make([]types.MetricDataQuery, 501)}
	for i := range in.MetricDataQueries {
		in.MetricDataQueries[i].Id = aws.String("m")
	}
	if _, err := cloudwatch.NewFromConfig(s.Config()).GetMetricData(t.Context(), in); err == nil {
		t.Error("501 queries in one request were answered")
	}
}
