package rds

import (
	"math"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

func volume(kind string, gib, iops, mibs int32) *types.DBInstance {
	in := &types.DBInstance{StorageType: aws.String(kind), AllocatedStorage: aws.Int32(gib)}
	if iops > 0 {
		in.Iops = aws.Int32(iops)
	}
	if mibs > 0 {
		in.StorageThroughput = aws.Int32(mibs)
	}
	return in
}

// Case 51, and the sizes at which the documented table changes.
func TestVolumeLimits(t *testing.T) {
	for _, c := range []struct {
		kind             string
		gib, iops, mibs  int32
		want, burst, mib float64
	}{
		{"gp2", 20, 0, 0, 100, 3000, 128},
		{"gp2", 100, 0, 0, 300, 3000, 128},
		{"gp2", 399, 0, 0, 1197, 3000, 250},
		{"gp2", 400, 0, 0, 1200, 12000, 512},
		{"gp2", 4000, 0, 0, 12000, 0, 1000},
		{"gp2", 5334, 0, 0, 16000, 0, 1000},
		{"gp2", 65536, 0, 0, 64000, 0, 1000},
		{"gp3", 200, 3000, 125, 3000, 0, 125},
		{"gp3", 200, 0, 0, 3000, 0, 125},
		{"gp3", 400, 12000, 500, 12000, 0, 500},
		{"gp3", 400, 0, 0, 12000, 0, 500},
		{"gp3", 1000, 20000, 1000, 20000, 0, 1000},
		{"io1", 1000, 20000, 0, 20000, 0, 4000},
		{"io1", 100, 1000, 0, 1000, 0, 250},
		{"io2", 1000, 64000, 0, 64000, 0, 4000},
		{"io2", 100, 1000, 0, 1000, 0, 256},
		{"io1", 100, 0, 0, 0, 0, 0}, // nothing reported: nothing known
		{"aurora", 1, 0, 0, 0, 0, 0},
		{"standard", 100, 0, 0, 0, 0, 0},
		{"gp9", 100, 7000, 300, 7000, 0, 300}, // not invented yet
		{"gp9", 100, 0, 0, 0, 0, 0},
	} {
		got := Volume(volume(c.kind, c.gib, c.iops, c.mibs))
		if got.IOPS != c.want || got.Burst != c.burst || got.KiBS != c.mib*1024 {
			t.Errorf("%s of %d GiB: %+v, want %v/s, burst %v, %v MiB/s", c.kind, c.gib, got, c.want, c.burst, c.mib)
		}
	}
	if l := Volume(&types.DBInstance{}); l != (Limit{}) {
		t.Errorf("an answer without any storage field gives %+v", l)
	}
}

func TestTheSmallerLimitCounts(t *testing.T) {
	medium := classOf("db.t3.medium", ebs(2000, 11800, 43.375, 260.625))
	if math.Abs(medium.KiBS-254516.6) > 0.1 {
		t.Errorf("260.625 decimal MB/s are %v KiB/s", medium.KiBS)
	}
	if !medium.Bursts() {
		t.Error("a class whose baseline is below its maximum bursts")
	}
	volume := Limit{IOPS: 12000, KiBS: 500 * 1024, From: "gp3 as provisioned"}
	zero, full := 0.0, 100.0
	for _, c := range []struct {
		name       string
		volume     Limit
		class      Class
		balance    Balance
		iops, kibs float64
		says       string
	}{
		{"class below the volume", volume, medium, Balance{}, 11800, medium.KiBS, "class db.t3.medium for I/Os per second and throughput"},
		{"credit of the class gone", volume, medium, Balance{ClassIO: &zero}, 2000, medium.KiBS, "its I/O credit is gone"},
		{"throughput credit gone", volume, medium, Balance{ClassBytes: &zero, ClassIO: &full}, 11800, medium.BaselineKiBS, "its throughput credit is gone"},
		{"volume below the class", Limit{IOPS: 3000, KiBS: 125 * 1024, From: "gp3, its base"}, medium, Balance{}, 3000, 125 * 1024, "volume: gp3"},
		{"class not known", volume, Class{Name: "db.x", Unknown: "no"}, Balance{}, 12000, 500 * 1024, "the limit of class db.x is not known"},
		{"nothing known of the volume", Limit{}, medium, Balance{}, 0, 0, ""},
		{"gp2 with credit", gp2(100), Class{Unknown: "no"}, Balance{Volume: &full}, 3000, 128 * 1024, "bursting while its credit lasts"},
		{"gp2 without", gp2(100), Class{Unknown: "no"}, Balance{Volume: &zero}, 300, 128 * 1024, "gp2"},
		{"gp2, credit not known", gp2(100), Class{Unknown: "no"}, Balance{}, 300, 128 * 1024, "gp2"},
	} {
		got := Effective(c.volume, c.class, c.balance)
		if got.IOPS != c.iops || got.KiBS != c.kibs || !strings.Contains(got.From, c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestClassNames(t *testing.T) {
	for class, want := range map[string]string{
		"db.r6g.large": "r6g.large", "db.x2g.xlarge": "x2gd.xlarge", "db.serverless": "", "db.r5b.2xlarge.tpc2.mem2x": "r5b.2xlarge", "": "",
	} {
		if got := ec2Type(class); got != want {
			t.Errorf("%q is %q to EC2, want %q", class, got, want)
		}
	}
}
