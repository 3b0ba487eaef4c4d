package nodeexporter

import (
	"math"
	"time"

	"stallbook/server/source/scrape"
	"stallbook/store"
)

const writesCompleted = "node_disk_writes_completed_total"

// counters are one device's, as the exporter gives them: counts, bytes, seconds.
type counters struct {
	reads, writes         float64
	readBytes, writeBytes float64
	readTime, writeTime   float64
	busy, weighted        float64
	readAt                time.Time // by our clock, monotonic
	hostAt                float64   // by the host's clock, Unix seconds; 0 = the page does not say
}

// countersOf reads the counters of a device; ok is false when the page has none.
func countersOf(p scrape.Page, device string) (c counters, ok bool) {
	c.readAt = p.At
	for name, to := range map[string]*float64{
		"node_disk_reads_completed_total":          &c.reads,
		writesCompleted:                            &c.writes,
		"node_disk_read_bytes_total":               &c.readBytes,
		"node_disk_written_bytes_total":            &c.writeBytes,
		"node_disk_read_time_seconds_total":        &c.readTime,
		"node_disk_write_time_seconds_total":       &c.writeTime,
		"node_disk_io_time_seconds_total":          &c.busy,
		"node_disk_io_time_weighted_seconds_total": &c.weighted,
	} {
		*to = math.NaN()
		for _, m := range p.Family(name) {
			if scrape.Label(m, "device") == device {
				*to = scrape.Number(m)
			}
		}
	}
	for _, m := range p.Family("node_time_seconds") {
		c.hostAt = scrape.Number(m)
	}
	return c, !math.IsNaN(c.writes) && !math.IsNaN(c.reads)
}

// elapsed is the time between two readings: by the host's clock where that
// agrees with ours, because an answer may come late but its reading did not; by
// ours when the host's clock was set.
func elapsed(was, is counters) time.Duration {
	ours := is.readAt.Sub(was.readAt)
	host := time.Duration((is.hostAt - was.hostAt) * float64(time.Second))
	if was.hostAt == 0 || is.hostAt == 0 || (host-ours).Abs() > max(time.Second/2, ours/4) {
		return ours
	}
	return host
}

// samePage reports that the answer is an old one: the host's clock stood still.
func samePage(was, is counters) bool { return is.hostAt != 0 && is.hostAt == was.hostAt }

// wentBack reports that the device counts from anew.
func wentBack(was, is counters) bool {
	return is.reads < was.reads || is.writes < was.writes || is.readBytes < was.readBytes || is.writeBytes < was.writeBytes
}

// wrap is where the kernel's 32-bit milliseconds begin again, in seconds.
const wrap = (1 << 32) / 1000.0

// passed is the difference of two time counters, over a wrap if there was one.
func passed(was, is float64) float64 {
	if is < was {
		is += wrap
	}
	return is - was
}

// samples turns two readings into the disk signals. A mean over no I/O, and
// whatever the page lacks, is left out.
func samples(was, is counters, took time.Duration) []store.Sample {
	var out []store.Sample
	count := func(signal string, n float64) {
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			out = append(out, store.Sample{Signal: store.MustLookup(signal), N: int64(math.Round(n))})
		}
	}
	gauge := func(signal string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, store.SampleOf(store.MustLookup(signal), "", v, took))
		}
	}
	reads, writes := is.reads-was.reads, is.writes-was.writes
	count("disk.read_iops", reads)
	count("disk.write_iops", writes)
	count("disk.read_kib_s", is.readBytes-was.readBytes)
	count("disk.write_kib_s", is.writeBytes-was.writeBytes)
	gauge("disk.read_await_ms", passed(was.readTime, is.readTime)/reads*1000)
	gauge("disk.write_await_ms", passed(was.writeTime, is.writeTime)/writes*1000)
	gauge("disk.queue", passed(was.weighted, is.weighted)/took.Seconds())
	gauge("disk.util_pct", min(100, passed(was.busy, is.busy)/took.Seconds()*100))
	return out
}
