package awsfake_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/smithy-go"

	"stallbook/server/source/awsfake"
)

func started(t *testing.T) *awsfake.Server {
	t.Helper()
	s := awsfake.New()
	t.Cleanup(s.Close)
	return s
}

func instance(id string) types.DBInstance {
	return types.DBInstance{
		DBInstanceIdentifier: aws.String(id), DbiResourceId: aws.String("db-" + strings.ToUpper(id)),
		Iops: aws.Int32(12000), StorageOperationStatus: aws.String("Initializing"), StorageOperationPercentProgress: aws.Int32(0),
		MultiAZ: aws.Bool(true), InstanceCreateTime: aws.Time(time.Date(2026, 12, 1, 2, 0, 0, 5e6, time.UTC)),
		Endpoint:                         &types.Endpoint{Address: aws.String(id + ".example"), Port: aws.Int32(5432)},
		ReadReplicaDBInstanceIdentifiers: []string{"r1", "r<2>"},
		TagList:                          []types.Tag{{Key: aws.String("team"), Value: aws.String("a & b")}},
		AdditionalStorageVolumes: []types.AdditionalStorageVolumeOutput{{
			VolumeName: aws.String("rdsdbdata2"), StorageOperationPercentProgress: aws.Int32(7)}},
	}
}

func TestInstancesAsTheClientReadsThem(t *testing.T) {
	s := started(t)
	s.PageRecords = 20
	var list []types.DBInstance
	for i := range 45 {
		list = append(list, instance(fmt.Sprintf("db%02d", i)))
	}
	s.SetInstances(list...)
	client := rds.NewFromConfig(s.Config())
	var got []types.DBInstance
	for pages := rds.NewDescribeDBInstancesPaginator(client, &rds.DescribeDBInstancesInput{}); pages.HasMorePages(); {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, out.DBInstances...)
	}
	if len(got) != 45 || len(s.Calls("DescribeDBInstances")) != 3 {
		t.Fatalf("%d instances in %d requests", len(got), len(s.Calls("")))
	}
	in := got[44]
	if *in.DBInstanceIdentifier != "db44" || *in.Iops != 12000 || *in.StorageOperationPercentProgress != 0 || in.StorageThroughput != nil ||
		!in.InstanceCreateTime.Equal(*list[44].InstanceCreateTime) || *in.Endpoint.Port != 5432 || in.ReadReplicaDBInstanceIdentifiers[1] != "r<2>" ||
		*in.TagList[0].Value != "a & b" || *in.AdditionalStorageVolumes[0].StorageOperationPercentProgress != 7 || !*in.MultiAZ {
		t.Errorf("got %+v", in)
	}
	out, err := client.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{Filters: []types.Filter{{Name: aws.String("db-instance-id"), Values: []string{"db03", "db07"}}}})
	if err != nil || len(out.DBInstances) != 2 {
		t.Errorf("filtered: %v, %v", out, err)
	}
	var none *types.DBInstanceNotFoundFault
	if _, err := client.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String("gone")}); !errors.As(err, &none) {
		t.Errorf("an unknown instance: %v", err)
	}
}

func TestEventsAndParameters(t *testing.T) {
	s := started(t)
	now := time.Now()
	s.AddEvents(types.Event{SourceIdentifier: aws.String("a"), SourceType: types.SourceTypeDbInstance, Date: aws.Time(now.Add(-2 * time.Hour)), Message: aws.String("old")},
		types.Event{SourceIdentifier: aws.String("a"), SourceType: types.SourceTypeDbInstance, Date: aws.Time(now.Add(-time.Minute)), Message: aws.String("new"), EventCategories: []string{"failover"}})
	s.SetParameters("pg", types.Parameter{ParameterName: aws.String("recovery_prefetch"), IsModifiable: aws.Bool(true), AllowedValues: aws.String("off,on,try")})
	client := rds.NewFromConfig(s.Config())
	events, err := client.DescribeEvents(t.Context(), &rds.DescribeEventsInput{Duration: aws.Int32(60)})
	if err != nil || len(events.Events) != 1 || *events.Events[0].Message != "new" || events.Events[0].EventCategories[0] != "failover" {
		t.Errorf("events of the last hour: %+v, %v", events, err)
	}
	params, err := client.DescribeDBParameters(t.Context(), &rds.DescribeDBParametersInput{DBParameterGroupName: aws.String("pg")})
	if err != nil || len(params.Parameters) != 1 || !*params.Parameters[0].IsModifiable {
		t.Errorf("parameters: %+v, %v", params, err)
	}
	if _, err := client.DescribeDBParameters(t.Context(), &rds.DescribeDBParametersInput{DBParameterGroupName: aws.String("none")}); err == nil {
		t.Error("a group that does not exist has parameters")
	}
}

func TestFaultsOfRDS(t *testing.T) {
	s := started(t)
	s.SetInstances(instance("a"))
	client := rds.NewFromConfig(s.Config())
	ask := func() error {
		_, err := client.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{})
		return err
	}
	s.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Denied})
	var api smithy.APIError
	if err := ask(); !errors.As(err, &api) || api.ErrorCode() != "AccessDenied" || !strings.Contains(api.ErrorMessage(), "rds:DescribeDBInstances") {
		t.Errorf("denied: %v", err)
	}
	s.Heal("DescribeDBInstances")
	s.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Broken, Times: 1})
	s.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Cut, Times: 1})
	if err := ask(); err != nil {
		t.Errorf("the SDK tries again after 503 and a cut connection, but: %v", err)
	}
	s.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Throttled})
	client = rds.NewFromConfig(s.Config(), func(o *rds.Options) { o.RetryMaxAttempts = 1 })
	if err := ask(); !errors.As(err, &api) || api.ErrorCode() != "Throttling" {
		t.Errorf("throttled: %v", err)
	}
}
