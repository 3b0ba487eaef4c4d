package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"stallbook/server/poll"
	"stallbook/server/source/awsfake"
	"stallbook/server/source/enhanced"
	"stallbook/store"
)

var _ poll.Many = (*enhanced.Source)(nil)

// osDocument is one second of a data volume as Enhanced Monitoring writes it.
func osDocument(at time.Time, iops, kib int) string {
	return fmt.Sprintf(`{"engine":"POSTGRES","instanceID":"billing-1","instanceResourceID":"db-A","timestamp":%q,"version":1,`+
		`"diskIO":[{"device":"filesystem","tps":90000,"readIOsPS":90000,"writeIOsPS":0,"readKbPS":1,"writeKbPS":0},`+
		`{"device":"rdsdev","tps":%d,"readIOsPS":%d,"writeIOsPS":0,"readKb":%d,"readKbPS":%d,"writeKb":0,"writeKbPS":0,"await":1,"util":50}],`+
		`"processList":[{"name":"postgres: alice orders 10.1.2.3(40000) COMMIT"}]}`, at.Format(time.RFC3339), iops, iops, kib, kib)
}

// Three seconds at the volume's limit reach Enhanced Monitoring's log 20 s late,
// when the vacuum pass that made them has long left PostgreSQL's progress view.
// They are matched at their own time, and the incident says when it was learnt.
func TestStallThatEnhancedMonitoringTellsLate(t *testing.T) {
	const late, stall, seconds = 20, 120, 170
	fake := awsfake.New()
	defer fake.Close()
	ref := store.Ref{Cluster: "billing", Instance: "billing-1"}
	src := enhanced.New(enhanced.Options{
		Ref: ref, Client: cloudwatchlogs.NewFromConfig(fake.Config()), Limiter: enhanced.NewLimiter(enhanced.DefaultRate),
		Target: func() enhanced.Target { return enhanced.Target{Stream: "db-A", Every: time.Second} },
	})
	lib, err := LoadLibrary(nil)
	if err != nil {
		t.Fatal(err)
	}
	lastID := 0
	v := newVirtual(ReplayOptions{Library: lib}, &lastID)
	begin := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
	for n := range seconds {
		if told := n - late; told >= 0 {
			iops, kib := 900, 90000
			if told >= stall && told < stall+3 {
				iops, kib = 14000, 84000
			}
			fake.Log("db-A", second(told), osDocument(second(told), iops, kib))
		}
		v.take(postgresSecond(ref, second(n), n == stall+1))
		readings, status := src.CollectMany(t.Context(), second(n))
		for _, b := range append(readings, status) {
			v.window.Push(b)
		}
	}
	v.tick()
	found := v.list()
	if len(found) != 1 {
		t.Fatalf("%d incidents: %+v", len(found), found)
	}
	in := found[0]
	if in.Runbook != "autovacuum-stall" || in.OpenedAt.Before(second(stall)) || in.OpenedAt.After(second(stall+4)) {
		t.Errorf("%s opened %v after the beginning, want autovacuum-stall at %d s", in.Runbook, in.OpenedAt.Sub(begin), stall)
	}
	if behind := in.LearntAt.Sub(in.OpenedAt); behind < (late-1)*time.Second || behind > (late+5)*time.Second {
		t.Errorf("learnt %v after it opened, want about %d s", behind, late)
	}
}

// postgresSecond is what the postgres source and the RDS API say in a second.
func postgresSecond(ref store.Ref, at time.Time, passEnded bool) store.Batch {
	sample := func(name, label string, v float64) store.Sample {
		return store.SampleOf(store.MustLookup(name), label, v, time.Second)
	}
	b := store.Batch{Ref: ref, Source: "postgres", At: at, Elapsed: time.Second, Role: store.RolePrimary, Samples: []store.Sample{
		sample("disk.iops_limit", "", 14000), sample("pg.vacuum.running", "", 0), sample("pg.vacuum.passes", "", 0), sample("pg.active", "", 3),
	}}
	if passEnded {
		b.Samples = append(b.Samples, sample("pg.vacuum.passes", "public.usage_events", 1))
	}
	return b
}
