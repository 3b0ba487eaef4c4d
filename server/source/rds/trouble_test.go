package rds

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/server/source/awsfake"
)

// Each permission missing alone: the source runs on and names what is missing.
func TestMissingPermissions(t *testing.T) {
	for action, iam := range map[string]string{
		"DescribeEvents": "rds:DescribeEvents", "DescribeDBParameters": "rds:DescribeDBParameters", "DescribeInstanceTypes": "ec2:DescribeInstanceTypes",
	} {
		r := newRig(t, instance("orders-1", func(in *types.DBInstance) { in.StorageOperationStatus = aws.String("Initializing") }))
		r.fake.Fail(action, awsfake.Fault{Kind: awsfake.Denied})
		b := r.poll("orders-1")
		loads, _ := value(b, "rds.storage_initializing")
		limit, _ := value(b, "disk.iops_limit")
		if b.Err != "" || loads != 1 || limit != 3000 {
			t.Errorf("without %s: %q, initializing %v, limit %v", action, b.Err, loads, limit)
		}
		if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "does not permit "+iam+" for ") || !strings.Contains(b.Notes[0], "IAM policy") {
			t.Errorf("without %s the notes are %q", action, b.Notes)
		}
	}
	r := newRig(t, instance("orders-1", nil))
	r.fake.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Denied})
	b := r.poll("orders-1")
	if _, heard := value(b, "rds.storage_initializing"); heard || !strings.Contains(b.Err, "does not permit rds:DescribeDBInstances for orders-1 in eu-west-1") {
		t.Errorf("without rds:DescribeDBInstances: %q, heard %v", b.Err, heard)
	}
	for _, secret := range []string{awsfake.SecretKey, awsfake.SessionToken, "assumed-role"} {
		if strings.Contains(b.Err, secret) {
			t.Errorf("the error holds %q: %s", secret, b.Err)
		}
	}
}

// A policy that names single instances refuses the list and allows each.
func TestListRefusedSingleAllowed(t *testing.T) {
	r := newRig(t, instance("orders-1", nil))
	r.fake.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Denied, Only: func(c awsfake.Call) bool { return c.Text("DBInstanceIdentifier") == "" }})
	if b := r.poll("orders-1"); b.Err != "" || b.Facts["rds.status"] != "available" {
		t.Errorf("%q, facts %v", b.Err, b.Facts)
	}
}

func TestUnheardIsAbsentAndRecovers(t *testing.T) {
	for _, kind := range []awsfake.Kind{awsfake.Throttled, awsfake.Broken, awsfake.Cut} {
		r := newRig(t, instance("orders-1", nil))
		r.fake.Fail("DescribeDBInstances", awsfake.Fault{Kind: kind})
		b := r.poll("orders-1")
		if _, heard := value(b, "rds.storage_initializing"); heard || b.Err == "" {
			t.Errorf("fault %d: %q, heard %v", kind, b.Err, heard)
		}
		r.fake.Heal("DescribeDBInstances")
		if b := r.poll("orders-1"); b.Err != "" {
			t.Errorf("fault %d healed: %q", kind, b.Err)
		}
	}
}

func TestOneUnknownClassLeavesTheOthers(t *testing.T) {
	r := newRig(t, instance("orders-1", nil), instance("orders-2", func(in *types.DBInstance) { in.DBInstanceClass = aws.String("db.zz9.large") }))
	r.now = r.now.Add(Every)
	one, two := r.again("orders-1"), r.again("orders-2")
	if len(one.Notes) != 0 || len(two.Notes) != 1 || !strings.Contains(two.Notes[0], "does not know the instance type of class db.zz9.large") {
		t.Errorf("notes %q and %q", one.Notes, two.Notes)
	}
}

func TestRenamedDeletedSwitched(t *testing.T) {
	r := newRig(t, instance("orders-1", nil))
	r.poll("orders-1")
	r.fake.SetInstances(instance("orders-1", func(in *types.DBInstance) { in.DbiResourceId = aws.String("db-GREEN") }))
	b := r.poll("orders-1")
	if !b.Restart || len(b.Events) != 1 || !strings.Contains(b.Events[0].Text, "resource id is db-GREEN, it was db-ORDERS-1") {
		t.Errorf("after a switch: restart %v, events %+v", b.Restart, b.Events)
	}
	if b := r.poll("orders-1"); b.Restart || len(b.Events) != 0 {
		t.Errorf("the switch is told twice: %+v", b.Events)
	}
	r.fake.SetInstances(instance("orders-old", func(in *types.DBInstance) { in.DbiResourceId = aws.String("db-GREEN") }))
	if b := r.poll("orders-1"); !strings.Contains(b.Err, "it is called orders-old now") || len(b.Samples) != 0 {
		t.Errorf("renamed: %q, samples %v", b.Err, b.Samples)
	}
	r.fake.SetInstances()
	if b := r.poll("orders-1"); !strings.Contains(b.Err, "orders-1 is gone") || len(b.Samples) != 0 {
		t.Errorf("deleted: %q", b.Err)
	}
}

func TestPagesAreFollowed(t *testing.T) {
	r := newRig(t, instance("orders-1", nil), instance("orders-2", nil), instance("orders-3", nil))
	r.fake.PageRecords = 1
	if b := r.poll("orders-3"); b.Err != "" {
		t.Error(b.Err)
	}
}
