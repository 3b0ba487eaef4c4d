package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/server/source/awsfake"
	"stallbook/store"
)

// The credit of a gp2 volume is used up: CloudWatch says so, the limit falls to
// the baseline, and the incident names it.
func TestBurstCreditGone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a sweep of CloudWatch")
	}
	fake, cfg := cloud(t, `
  - name: shop
    rds: {region: eu-west-1, instances: [shop-1], endpoint: "ENDPOINT"}
    postgres: {user: stallbook, sslmode: disable}
    latency: {cloudwatch: {namespace: AWS/ApplicationELB, metric: TargetResponseTime, dimensions: {LoadBalancer: app/shop/1}}}
`)
	fake.SetInstances(db("shop-1", func(in *types.DBInstance) {
		in.StorageType, in.AllocatedStorage, in.Iops, in.StorageThroughput = aws.String("gp2"), aws.Int32(100), nil, nil
	}))
	at := time.Now().UTC().Truncate(time.Minute).Add(-2 * time.Minute)
	burst := awsfake.Metric{Namespace: "AWS/RDS", Name: "BurstBalance", Stat: "Minimum", Dimensions: map[string]string{"DBInstanceIdentifier": "shop-1"}}
	fake.SetMetric(burst, awsfake.Point{At: at, V: 0})
	fake.SetMetric(awsfake.Metric{Namespace: "AWS/ApplicationELB", Name: "TargetResponseTime", Stat: "p99", Dimensions: map[string]string{"LoadBalancer": "app/shop/1"}}, awsfake.Point{At: at, V: 1.5})
	s := start(t, Options{Config: cfg})
	until(t, 40*time.Second, "the incident opens", func() bool { return len(s.incidents("?state=open")) == 1 })
	in := s.incidents("?state=open")[0]
	if in.Runbook != "ebs-burst-exhausted" || in.Form != "volume" || in.Severity != store.Degraded {
		t.Errorf("incident %+v", in)
	}
	series := func(signal string) string {
		_, body := s.get("/api/v1/clusters/shop/shop-1/series?signal=" + signal + "&from=" + at.Add(-time.Minute).Format(time.RFC3339) + "&to=" + time.Now().UTC().Format(time.RFC3339))
		return body
	}
	until(t, 20*time.Second, "the limit is the baseline", func() bool { return strings.Contains(series("disk.iops_limit"), ",300,300]") })
	until(t, 20*time.Second, "the load balancer's percentile stands at its minute", func() bool {
		return strings.Contains(series("latency.p99_ms"), fmt.Sprintf("[%d,1500,1500]", at.UnixMilli()))
	})
	n := len(fake.Calls("GetMetricData"))
	until(t, 32*time.Second, "CloudWatch is asked more often during the incident", func() bool { return len(fake.Calls("GetMetricData")) >= n+2 })
}

// The role may read nothing of CloudWatch: the rest works and the page names the
// action.
func TestWithoutCloudWatch(t *testing.T) {
	fake, cfg := cloud(t, `
  - name: shop
    rds: {region: eu-west-1, instances: [shop-1], endpoint: "ENDPOINT"}
    postgres: {user: stallbook, sslmode: disable}
`)
	fake.SetInstances(db("shop-1", nil))
	fake.Fail("GetMetricData", awsfake.Fault{Kind: awsfake.Denied})
	s := start(t, Options{Config: cfg})
	until(t, 40*time.Second, "the API names the missing action and the rds source works", func() bool {
		_, body := s.get("/api/v1/clusters")
		return strings.Contains(body, "does not permit cloudwatch:GetMetricData for shop-1") && strings.Contains(body, `"source":"rds","ok":true`)
	})
	until(t, 5*time.Second, "the settings page names it with the instance", func() bool {
		_, body := s.get("/settings")
		return strings.Contains(body, "cloudwatch:GetMetricData") && strings.Contains(body, "shop/shop-1") && strings.Contains(body, "AWS refuses 1 action")
	})
	for _, path := range []string{"/settings", "/clusters/shop/shop-1", "/api/v1/clusters"} {
		_, body := s.get(path)
		noSecret(t, path, body)
	}
}
