package rds

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// Limit is how much I/O something allows. A zero number is not known.
type Limit struct {
	IOPS float64 // I/Os per second that can be kept up
	KiBS float64 // KiB per second
	// Burst is what it does while its credit lasts, 0 when it has none.
	Burst float64
	From  string // what the numbers follow from
}

// striped is the size from which PostgreSQL on RDS gets four volumes in place of one.
const (
	striped = 400 // GiB
	stripes = 4
)

const kibPerMiB = 1024.0

// Volume returns what an instance's volume allows. Storage types it does not
// know give what the API says of them and nothing else.
func Volume(in *types.DBInstance) Limit {
	gib := float64(aws.ToInt32(in.AllocatedStorage))
	iops, mibs := float64(aws.ToInt32(in.Iops)), float64(aws.ToInt32(in.StorageThroughput))
	kind := strings.ToLower(aws.ToString(in.StorageType))
	switch kind {
	case "gp2":
		return gp2(gib)
	case "gp3":
		return gp3(gib, iops, mibs)
	case "io1":
		return provisioned(kind, iops, mibs, 0.25, io1Most(gib))
	case "io2":
		return provisioned(kind, iops, mibs, 0.256, 4000)
	case "", "aurora", "aurora-iopt1", "standard":
		return Limit{} // no volume of its own, or none that promises anything
	}
	return Limit{IOPS: iops, KiBS: mibs * kibPerMiB, From: kind + " as the API reports it"}
}

// gp2: three I/Os per second for each GiB, at least 100, counted for each volume
// of the stripe; small ones burst to 3,000 each.
func gp2(gib float64) Limit {
	if gib <= 0 {
		return Limit{}
	}
	n := volumes(gib)
	each := gib / n
	base := min(max(100, float64(int(3*each))), 16000)
	mibs := 250.0
	if each <= 170 {
		mibs = 128
	}
	l := Limit{IOPS: base * n, KiBS: min(mibs*n, 1000) * kibPerMiB, From: fmt.Sprintf("gp2, 3 I/Os per second and GiB of %.0f", gib)}
	if base < 3000 {
		l.Burst = 3000 * n
	}
	return l
}

func volumes(gib float64) float64 {
	if gib >= striped {
		return stripes
	}
	return 1
}

// gp3: what is provisioned, and never less than the base that every volume has.
func gp3(gib, iops, mibs float64) Limit {
	from := "gp3 as provisioned"
	n := volumes(gib)
	if gib > 0 && iops == 0 {
		iops, from = 3000*n, "gp3, its base"
	}
	if gib > 0 && mibs == 0 {
		mibs = 125 * n
	}
	return Limit{IOPS: iops, KiBS: mibs * kibPerMiB, From: from}
}

func io1Most(gib float64) float64 {
	if gib >= striped {
		return 4000
	}
	return 500
}

// provisioned: throughput follows from the I/Os per second, up to a ceiling.
func provisioned(kind string, iops, mibs, mibPerIO, most float64) Limit {
	if iops <= 0 {
		return Limit{}
	}
	if mibs == 0 {
		mibs = min(iops*mibPerIO, most)
	}
	return Limit{IOPS: iops, KiBS: mibs * kibPerMiB, From: kind + " as provisioned"}
}

// Balance is how much credit is left, in percent; nil = not known.
type Balance struct{ Volume, ClassIO, ClassBytes *float64 }

// spent is the balance below which credit no longer lifts the limit.
const spent = 1.0

func gone(b *float64) bool { return b != nil && *b <= spent }
func left(b *float64) bool { return b != nil && *b > spent }

// Class is what an instance class allows. Baselines are zero when not known.
type Class struct {
	Name                       string
	IOPS, KiBS                 float64 // while credit lasts, or for ever where both are the same
	BaselineIOPS, BaselineKiBS float64
	bursting                   bool
	Unknown                    string // why nothing is known; "" when something is
}

// Bursts reports whether the class keeps its maximum only while credit lasts.
func (c Class) Bursts() bool { return c.bursting }

// Effective is the smaller of volume and class, each as it stands with the
// credit that is left. What is not known of the volume is not known at all: a
// class alone says nothing of a magnetic or Aurora volume. What is not known of
// the class leaves the volume's figure, and From says so.
func Effective(v Limit, c Class, b Balance) Limit {
	out := Limit{IOPS: v.IOPS, KiBS: v.KiBS, Burst: v.Burst, From: "volume: " + v.From}
	if v.IOPS == 0 && v.KiBS == 0 {
		return Limit{}
	}
	if v.Burst > 0 && left(b.Volume) {
		out.IOPS, out.From = v.Burst, out.From+", bursting while its credit lasts"
	}
	if c.Unknown != "" {
		out.From += "; the limit of class " + c.Name + " is not known"
		return out
	}
	iops, kibs, note := c.IOPS, c.KiBS, ""
	if gone(b.ClassIO) && c.BaselineIOPS > 0 {
		iops, note = c.BaselineIOPS, ", its I/O credit is gone"
	}
	if gone(b.ClassBytes) && c.BaselineKiBS > 0 {
		kibs, note = c.BaselineKiBS, ", its throughput credit is gone"
	}
	byClass := ""
	if iops > 0 && iops < out.IOPS {
		out.IOPS, byClass = iops, "I/Os per second"
	}
	if kibs > 0 && (out.KiBS == 0 || kibs < out.KiBS) {
		out.KiBS = kibs
		if byClass != "" {
			byClass += " and "
		}
		byClass += "throughput"
	}
	if byClass != "" {
		out.From = fmt.Sprintf("class %s for %s%s; %s", c.Name, byClass, note, out.From)
	}
	return out
}
