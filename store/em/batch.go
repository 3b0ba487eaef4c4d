package em

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"stallbook/store"
)

// Source is the name under which readings of these documents are kept.
const Source = "enhanced"

// unknownInterval stands in when nobody can tell over how long a document
// counted. Its rates are means of that time already, so that only the rounding
// of counts depends on it.
const unknownInterval = time.Minute

// Batch turns a document into readings at its own time. every is the interval
// the caller knows of (MonitoringInterval, or the time since the document
// before); 0 takes what the document says. Ref is left to the caller.
func (d Document) Batch(every time.Duration) store.Batch {
	b := store.Batch{Source: Source, At: d.At, Elapsed: cmp.Or(max(0, every), d.Interval, unknownInterval)}
	w := writer{b: &b}
	data, ok := dataVolume(d.Disks)
	if ok {
		w.disk(data)
	} else {
		b.Notes = append(b.Notes, fmt.Sprintf("the document names no volume of the database (it has: %s)", cmp.Or(names(d.Disks), "no disk at all")))
	}
	if data.oddSize() {
		b.Notes = append(b.Notes, "avgReqSz is in a unit that is not known yet: this agent's other figures may mean something else too")
	}
	w.members(d.Physical)
	w.gauge("host.cpu_pct", "", d.cpu.Total)
	w.gauge("host.iowait_pct", "", d.cpu.Wait)
	w.gauge("host.blocked_tasks", "", d.blocked)
	return b
}

func names(devices []Device) string {
	var out []string
	for _, d := range devices {
		out = append(out, d.Name)
	}
	return strings.Join(out, ", ")
}

// writer appends samples; what is absent is left out.
type writer struct{ b *store.Batch }

func (w writer) gauge(signal, label string, n number) {
	if n.ok {
		w.b.Samples = append(w.b.Samples, store.SampleOf(store.MustLookup(signal), label, n.v, w.b.Elapsed))
	}
}

// moved writes KiB: as counted in the interval where that is there and the
// interval is the document's own, for it has no rounding.
func (w writer) moved(signal string, counted, rate number) {
	secs := w.b.Elapsed.Seconds()
	if counted.ok && rate.ok && diff(counted.v, rate.v*secs) <= 0.005*secs+0.51 {
		rate = number{counted.v / secs, true}
	}
	w.gauge(signal, "", rate)
}

func diff(a, b float64) float64 { return max(a-b, b-a) }

func (w writer) disk(d Device) {
	w.gauge("disk.read_iops", "", d.io.Reads)
	w.gauge("disk.write_iops", "", d.io.Writes)
	read, write := d.kib()
	w.moved("disk.read_kib_s", d.io.ReadKB, read)
	w.moved("disk.write_kib_s", d.io.WriteKB, write)
	w.mean("disk.read_await_ms", "", d.io.ReadLatency, d.io.Reads)
	w.mean("disk.write_await_ms", "", d.io.WriteLatency, d.io.Writes)
	w.mean("disk.await_ms", "", d.io.Await, d.ops())
	if q, ok := d.Queue(); ok {
		w.gauge("disk.queue", "", number{q, true})
	}
	if d.io.Util.ok {
		w.gauge("disk.util_pct", "", number{min(100, d.io.Util.v), true})
	}
}

// mean writes a mean over I/Os, which is none where there was no I/O.
func (w writer) mean(signal, label string, v, over number) {
	if over.ok && over.v > 0 {
		w.gauge(signal, label, v)
	}
}

// members writes what tells one slow device of a stripe from all of them, and
// the I/Os as EBS counts them.
func (w writer) members(devices []Device) {
	if len(devices) == 0 {
		return
	}
	total := number{0, true}
	w.gauge("disk.member_await_ms", "", number{0, true}) // read, and these labels are all there are
	for _, d := range devices {
		total = total.plus(d.ops())
		if d.Name != "" {
			w.mean("disk.member_await_ms", d.Name, d.io.Await, d.ops())
		}
	}
	w.gauge("disk.physical_iops", "", total)
}
