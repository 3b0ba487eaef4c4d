package em

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Device is one entry of a document's disks. Every quantity may be absent.
type Device struct {
	Name string // "" for Aurora's storage
	io   diskIO
}

// ops is I/Os a second.
func (d Device) ops() number {
	if d.io.TPS.ok {
		return d.io.TPS
	}
	return d.io.Reads.plus(d.io.Writes)
}

// IOKiB is the mean size of one I/O in KiB; ok is false when there was none, or
// when the document does not tell. avgReqSz is never used: it counts 512-byte
// sectors or KiB, depending on the agent, and is documented as the latter.
func (d Device) IOKiB() (size float64, ok bool) {
	read, write := d.kib()
	sum, ops := read.plus(write), d.ops()
	if !sum.ok || !ops.ok || ops.v == 0 {
		return 0, false
	}
	return sum.v / ops.v, true
}

// kib are KiB a second, read and written.
func (d Device) kib() (read, write number) {
	if d.io.ReadKBPS.ok || d.io.WriteKBPS.ok {
		return d.io.ReadKBPS, d.io.WriteKBPS
	}
	toKiB := func(n number) number { return number{n.v / 1024, n.ok} } // Aurora gives bytes
	return toKiB(d.io.ReadThroughput), toKiB(d.io.WriteThroughput)
}

// Queue is the mean number of I/Os in flight by Little's law, ok as IOKiB.
// avgQueueLen is never used: one generation of agents multiplies it by the
// interval.
func (d Device) Queue() (ios float64, ok bool) {
	if ops := d.ops(); ops.ok && d.io.Await.ok {
		return ops.v * d.io.Await.v / 1000, true
	}
	return d.io.QueueDepth.v, d.io.QueueDepth.ok
}

// intervals are the granularities RDS offers.
var intervals = []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}

// interval works out over how long a document counted: KiB in the interval by
// KiB a second. The busiest device tells best, as both are rounded; 0 when none
// moved anything.
func interval(devices []Device) time.Duration {
	most, seconds := 0.0, 0.0
	for _, d := range devices {
		sum, rate := d.io.ReadKB.plus(d.io.WriteKB), d.io.ReadKBPS.plus(d.io.WriteKBPS)
		if sum.ok && rate.ok && rate.v > 0 && sum.v > most {
			most, seconds = sum.v, sum.v/rate.v
		}
	}
	for _, i := range intervals {
		if math.Abs(seconds/i.Seconds()-1) < 0.1 {
			return i
		}
	}
	return 0
}

// The names agents give to the database's own volume. Others are `filesystem`,
// the root volume, and `rdstemp`, a local disk: neither is the database's.
var dataNames = []string{"rdsdev", "rdsdbdata"}

// dataVolume finds the device that holds the database. Aurora's storage is an
// entry without a name.
func dataVolume(devices []Device) (Device, bool) {
	for _, name := range dataNames {
		i := slices.IndexFunc(devices, func(d Device) bool { return strings.EqualFold(d.Name, name) })
		if i >= 0 {
			return devices[i], true
		}
	}
	i := slices.IndexFunc(devices, func(d Device) bool { return d.Name == "" && (d.io.Reads.ok || d.io.Writes.ok) })
	if i < 0 {
		return Device{}, false
	}
	return devices[i], true
}

// oddSize reports that avgReqSz fits neither of the two units it is known to
// have. Then the meaning of the other fields may have changed as well.
func (d Device) oddSize() bool {
	size, ok := d.IOKiB()
	if !ok || !d.io.AvgReqSz.ok || size < 1 || d.ops().v < 1 {
		return false
	}
	ratio := d.io.AvgReqSz.v / size
	return math.Abs(ratio-1) > 0.1 && math.Abs(ratio-2) > 0.2
}
