package rds

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/server/source/awsfake"
	"stallbook/store"
)

func ebs(baseIOPS, maxIOPS int32, baseMB, maxMB float64) *ec2types.EbsOptimizedInfo {
	return &ec2types.EbsOptimizedInfo{
		BaselineIops: aws.Int32(baseIOPS), MaximumIops: aws.Int32(maxIOPS),
		BaselineThroughputInMBps: aws.Float64(baseMB), MaximumThroughputInMBps: aws.Float64(maxMB),
	}
}

// instance is one as RDS describes it, with a 200 GiB gp3 volume.
func instance(id string, change func(*types.DBInstance)) types.DBInstance {
	in := types.DBInstance{
		DBInstanceIdentifier: aws.String(id), DBInstanceStatus: aws.String("available"), Engine: aws.String("postgres"), EngineVersion: aws.String("16.4"),
		DBInstanceClass: aws.String("db.r6g.large"), DbiResourceId: aws.String("db-" + strings.ToUpper(id)),
		StorageType: aws.String("gp3"), AllocatedStorage: aws.Int32(200), Iops: aws.Int32(3000), StorageThroughput: aws.Int32(125),
		MonitoringInterval: aws.Int32(1), MultiAZ: aws.Bool(true),
		DBParameterGroups: []types.DBParameterGroupStatus{{DBParameterGroupName: aws.String("tuned"), ParameterApplyStatus: aws.String("in-sync")}},
	}
	if change != nil {
		change(&in)
	}
	return in
}

type rig struct {
	t       *testing.T
	fake    *awsfake.Server
	account *Account
	now     time.Time
	sources map[string]*Source
}

func newRig(t *testing.T, list ...types.DBInstance) *rig {
	t.Helper()
	fake := awsfake.New()
	t.Cleanup(fake.Close)
	fake.SetInstances(list...)
	fake.SetClass("r6g.large", awsfake.Class{BaselineIOPS: 3600, MaximumIOPS: 20000, BaselineMBps: 78.75, MaximumMBps: 593.75})
	fake.SetParameters("tuned")
	r := &rig{t: t, fake: fake, now: time.Now().UTC().Truncate(time.Second), sources: map[string]*Source{}}
	r.account = New(Options{Config: fake.Config(), PerSecond: 1000, Now: time.Now})
	return r
}

// poll reads one instance at the next interval.
func (r *rig) poll(id string) store.Batch {
	r.now = r.now.Add(Every)
	return r.again(id)
}

// again reads one within the same interval.
func (r *rig) again(id string) store.Batch {
	r.t.Helper()
	if r.sources[id] == nil {
		r.sources[id] = NewSource(r.account, store.Ref{Cluster: "billing", Instance: id}, id)
	}
	return r.sources[id].Collect(r.t.Context(), r.now)
}

func value(b store.Batch, signal string) (float64, bool) {
	for _, s := range b.Samples {
		if s.Signal.Name() == signal {
			return s.Value(0)
		}
	}
	return 0, false
}

// Case 15, and case 33 as its row b: only Initializing is hydration.
func TestStorageOperation(t *testing.T) {
	op := func(status string, percent int32) func(*types.DBInstance) {
		return func(in *types.DBInstance) {
			in.StorageOperationStatus, in.StorageOperationPercentProgress = aws.String(status), aws.Int32(percent)
		}
	}
	r := newRig(t,
		instance("a", op("Initializing", 37)),
		instance("b", func(in *types.DBInstance) {
			op("Optimizing", 83)(in)
			in.DBInstanceStatus = aws.String("storage-optimization")
		}),
		instance("c", nil),
		instance("d", func(in *types.DBInstance) {
			in.AdditionalStorageVolumes = []types.AdditionalStorageVolumeOutput{{VolumeName: aws.String("rdsdbdata2"), StorageOperationStatus: aws.String("Initializing"), StorageOperationPercentProgress: aws.Int32(0)}}
		}),
		types.DBInstance{DBInstanceIdentifier: aws.String("e"), DBInstanceStatus: aws.String("creating")},
		instance("f", op("SomethingNew", 100)),
		instance("g", func(in *types.DBInstance) { in.StorageOperationStatus = aws.String("Initializing") }),
	)
	r.now = r.now.Add(Every)
	for _, c := range []struct {
		id        string
		loads     float64
		progress  float64
		reported  bool
		operation string
	}{
		{"a", 1, 37, true, "Initializing"},
		{"b", 0, 0, false, "Optimizing"},
		{"c", 0, 0, false, "none reported"},
		{"d", 1, 0, true, "Initializing (rdsdbdata2)"},
		{"e", 0, 0, false, "none reported"},
		{"f", 0, 0, false, "SomethingNew"},
		{"g", 1, 0, false, "Initializing"},
	} {
		b := r.again(c.id)
		loads, heard := value(b, "rds.storage_initializing")
		progress, reported := value(b, "rds.storage_progress_pct")
		if b.Err != "" || !heard || loads != c.loads || progress != c.progress || reported != c.reported || b.Facts["rds.storage_operation"] != c.operation {
			t.Errorf("%s: %q, initializing %v %v, progress %v %v, operation %q", c.id, b.Err, loads, heard, progress, reported, b.Facts["rds.storage_operation"])
		}
	}
	if n := len(r.fake.Calls("DescribeDBInstances")); n != 1 {
		t.Errorf("%d requests for seven instances", n)
	}
	if says := strings.Join(r.again("b").Notes, "\n"); !strings.Contains(says, "Optimizing, which is not the loading of a snapshot") {
		t.Errorf("the notes of an optimizing volume: %s", says)
	}
}

func TestFactsAndLimits(t *testing.T) {
	r := newRig(t, instance("orders-1", func(in *types.DBInstance) {
		in.ReadReplicaDBInstanceIdentifiers = []string{"orders-3", "orders-2"}
	}))
	r.fake.SetParameters("tuned",
		types.Parameter{ParameterName: aws.String("autovacuum_vacuum_insert_scale_factor"), IsModifiable: aws.Bool(true), ApplyType: aws.String("dynamic"), AllowedValues: aws.String("0-100"), ParameterValue: aws.String("0.01")},
		types.Parameter{ParameterName: aws.String("recovery_prefetch"), IsModifiable: aws.Bool(false), ApplyType: aws.String("dynamic")},
		types.Parameter{ParameterName: aws.String("work_mem"), IsModifiable: aws.Bool(true)})
	b := r.poll("orders-1")
	for name, want := range map[string]string{
		"rds.storage_type": "gp3", "rds.allocated_gib": "200", "rds.iops": "3000", "rds.class": "db.r6g.large", "rds.monitoring_interval_s": "1",
		"rds.multi_az": "true", "rds.resource_id": "db-ORDERS-1", "rds.status": "available", "rds.replicas": "orders-2, orders-3", "rds.replica_of": "none",
		"rds.limit_from": "volume: gp3 as provisioned", "rds.param.recovery_prefetch": "RDS lets nobody change it",
		"rds.param.autovacuum_vacuum_insert_scale_factor": "changed in tuned; takes effect at once, allowed: 0-100; now 0.01",
	} {
		if b.Facts[name] != want {
			t.Errorf("%s is %q, want %q", name, b.Facts[name], want)
		}
	}
	if _, known := b.Facts["rds.param.work_mem"]; known {
		t.Error("a parameter that no fix changes is a fact")
	}
	iops, _ := value(b, "disk.iops_limit")
	kibs, _ := value(b, "disk.kib_s_limit")
	if iops != 3000 || kibs != 125*1024 || len(b.Notes) != 0 {
		t.Errorf("limits %v and %v, notes %q", iops, kibs, b.Notes)
	}
}

func TestEventsAreToldOnceAtTheirOwnTime(t *testing.T) {
	r := newRig(t, instance("orders-1", nil), instance("orders-2", nil))
	r.again("orders-1")
	time.Sleep(1100 * time.Millisecond) // the fake's clock is the wall's
	at := time.Now().UTC().Truncate(time.Millisecond)
	event := func(id, text string, at time.Time) types.Event {
		return types.Event{SourceIdentifier: aws.String(id), SourceType: types.SourceTypeDbInstance, Date: aws.Time(at), Message: aws.String(text)}
	}
	r.fake.AddEvents(event("orders-1", "Multi-AZ instance failover started.", at), event("orders-2", "DB instance restarted", at),
		event("orders-1", "Backing up DB instance", at.Add(-time.Hour)))
	var told []store.Event
	for range 3 {
		r.now = r.now.Add(eventsEvery)
		told = append(told, r.again("orders-1").Events...)
	}
	if len(told) != 1 || told[0].Text != "RDS: Multi-AZ instance failover started." || !told[0].At.Equal(at) || told[0].Kind != "rds" {
		t.Errorf("told %+v", told)
	}
}
