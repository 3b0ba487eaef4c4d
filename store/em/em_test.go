package em

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// eventTime stands for the log event's own time.
var eventTime = time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)

func decodeOne(t testing.TB, name string) Document {
	t.Helper()
	docs, err := Decode(sample(t, name), eventTime)
	if err != nil || len(docs) != 1 {
		t.Fatalf("%s: %d documents, %v", name, len(docs), err)
	}
	return docs[0]
}

// Sizes and queues worked out by hand from the documents: (KiB read and written)
// a second by I/Os a second, and I/Os a second times their mean time.
func TestSizesByHand(t *testing.T) {
	for _, c := range []struct {
		file, device string
		kib, queue   float64 // -1: none
	}{
		{"psql-10.json", "rdsdev", 4.158, 0.00007},
		{"psql-10.json", "filesystem", 7.933, 0.00623},
		{"psql-10.json", "nvme2n1", 12.920, 0.00007},
		{"aurora-psql-11.json", "rdstemp", 4.967, 0.00496},
		{"aurora-psql-11.json", "", 0.2124, 0},
		{"mysql-57.json", "rdsdev", 6.667, 0.00127},
		{"mysql-57.json", "filesystem", 7.350, 0.00729},
		{"mysql-57.json", "nvme1n1", 8.000, 0.00128},
		{"aurora-mysql-56.json", "rdstemp", 4.561, 0.00066},
		{"aurora-mysql-56.json", "", 0.31008, 0},
		{"mysql57-2018-stalled-old-agent.json", "rdsdev", 18.966, 46.544},
		{"postgres-2017-old-agent.json", "rdsdev", 7.111, 0.02646},
		{"partial-my_sql_dict.json", "rdsdev", 4.000, 0.008},
		{"partial-aurora_dict.json", "", 0.76, 0},
		{"four-nvme-devices.json", "rdsdev", 81.420, 0.11421},
		{"four-nvme-devices.json", "nvme3n1", 58.949, 0.02297},
		{"four-nvme-devices.json", "nvme5n1", 59.922, 0.02547},
		{"log-event-message.json", "rdsdev", 81.420, 0.11421},
	} {
		doc := decodeOne(t, c.file)
		found := false
		for _, d := range append(doc.Disks, doc.Physical...) {
			if d.Name != c.device {
				continue
			}
			found = true
			if kib, ok := d.IOKiB(); !ok || math.Abs(kib-c.kib) > 0.0006 {
				t.Errorf("%s %q: %.4f KiB an I/O, by hand %.4f", c.file, d.Name, kib, c.kib)
			}
			if q, ok := d.Queue(); !ok || math.Abs(q-c.queue) > 0.00001*max(1, 100*c.queue) {
				t.Errorf("%s %q: queue %.5f, by hand %.5f", c.file, d.Name, q, c.queue)
			}
			if d.oddSize() {
				t.Errorf("%s %q: avgReqSz is said to be in an unknown unit", c.file, d.Name)
			}
		}
		if !found {
			t.Errorf("%s has no device %q", c.file, c.device)
		}
	}
}

// What the Window makes of each document.
func TestReadingsOfEverySample(t *testing.T) {
	for file, c := range map[string]struct {
		instance, at string
		every        time.Duration
		want         map[string]float64 // by signal, with {label}
		absent       string
	}{
		"psql-10.json": {"autotest-psql-10", "2025-07-02T12:59:19Z", time.Minute, map[string]float64{
			"disk.iops": 3.483, "disk.io_kib": 4.153, "disk.await_ms": 0.02, "disk.physical_iops": 1.117, "disk.member_await_ms{nvme2n1}": 0.06,
			"host.cpu_pct": 5.1, "host.blocked_tasks": 0, "disk.util_pct": 0.01}, "disk.read_await_ms disk.write_await_ms disk.read_io_kib"},
		"aurora-psql-11.json": {"autotest-aurora-psql-11", "2025-07-02T12:59:23Z", time.Minute, map[string]float64{
			"disk.write_iops": 3.3, "disk.read_iops": 0, "disk.write_await_ms": 1.14, "disk.queue": 0, "disk.io_kib": 0.2124}, "disk.read_await_ms disk.util_pct disk.physical_iops"},
		"mysql-57.json": {"autotest-mysql-57", "2025-07-02T12:59:15Z", time.Minute, map[string]float64{
			"disk.iops": 0.3, "disk.io_kib": 6.667, "disk.member_await_ms{nvme1n1}": 5.13}, ""},
		"aurora-mysql-56.json": {"autotest-aurora-mysql-56", "2025-07-02T12:59:50Z", time.Minute, map[string]float64{
			"disk.write_iops": 2.367, "disk.write_await_ms": 3.25}, "disk.util_pct"},
		"mysql57-2018-stalled-old-agent.json": {"rds-mysql57", "2018-01-08T14:35:21Z", time.Minute, map[string]float64{
			"disk.iops": 623.33, "disk.io_kib": 18.966, "disk.queue": 46.544, "disk.util_pct": 99.94, "host.blocked_tasks": 54, "host.iowait_pct": 81.43}, "disk.physical_iops"},
		"postgres-2017-old-agent.json": {"INSTANCE_ID", "2017-10-30T11:17:55Z", 10 * time.Second, map[string]float64{
			"disk.iops": 12.6, "disk.io_kib": 7.111, "disk.queue": 0.026}, ""},
		"partial-my_sql_dict.json": {"db-two", "2017-09-19T00:21:07Z", time.Second, map[string]float64{
			"disk.write_iops": 5, "disk.io_kib": 4, "host.blocked_tasks": 2}, ""},
		"partial-aurora_dict.json": {"db-one", "2017-09-12T23:02:53Z", 0, map[string]float64{
			"disk.read_iops": 40.6, "disk.read_io_kib": 16, "disk.read_await_ms": 2.74}, ""},
		"four-nvme-devices.json": {"instanceid", "2016-01-01T01:01:01Z", 30 * time.Second, map[string]float64{
			"disk.iops": 28.27, "disk.io_kib": 81.44, "disk.physical_iops": 38.63, "disk.member_await_ms{nvme1n1}": 3.04, "disk.member_await_ms{nvme5n1}": 2.69}, ""},
		"log-event-message.json": {"i-0a1b2c3d4e5f6g", "2026-12-01T02:00:00Z", 30 * time.Second, map[string]float64{"disk.iops": 28.27}, ""},
	} {
		t.Run(file, func(t *testing.T) {
			doc := decodeOne(t, file)
			if doc.Instance != c.instance || doc.At.Format(time.RFC3339) != c.at || doc.Interval != c.every || !strings.HasPrefix(doc.ResourceID, "db-") {
				t.Errorf("%s (%s) at %v every %v", doc.Instance, doc.ResourceID, doc.At, doc.Interval)
			}
			got := readings(doc.Batch(0))
			for name, want := range c.want {
				if v, ok := got[name]; !ok || math.Abs(v-want) > 0.0005*max(2, want) {
					t.Errorf("%s is %.5f, %v; want %.5f", name, v, ok, want)
				}
			}
			for name := range strings.FieldsSeq(c.absent) {
				if v, ok := got[name]; ok {
					t.Errorf("%s is %v, but the document does not tell it", name, v)
				}
			}
		})
	}
}

// readings puts a batch into a Window and reads everything back.
func readings(b store.Batch) map[string]float64 {
	b.Ref = store.Ref{Cluster: "c", Instance: "i"}
	w := store.NewWindow(nil)
	w.Push(b)
	out := map[string]float64{}
	w.Read(func(v store.View) {
		for id := range store.Signals() {
			for _, s := range v.Instance(b.Ref).All(store.SignalID(id)) {
				name := s.Signal.Name()
				if s.Label != "" {
					name += "{" + s.Label + "}"
				}
				if p, ok := s.Last(); ok {
					out[name] = p.V
				}
			}
		}
	})
	return out
}

// The pair of case 47: the documentation's unit would hide the collapse.
func TestShrinkingIOs(t *testing.T) {
	doc := func(tps, kb, size string) Document {
		docs, err := Decode([]byte(`{"engine":"POSTGRES","instanceID":"a","timestamp":"2026-12-01T02:00:00Z","diskIO":[{"device":"rdsdev","tps":`+tps+
			`,"readIOsPS":`+tps+`,"writeIOsPS":0,"readKb":`+kb+`,"writeKb":0,"readKbPS":`+kb+`,"writeKbPS":0,"avgReqSz":`+size+`}]}`), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return docs[0]
	}
	if v := readings(doc("900", "90000", "200").Batch(time.Second))["disk.io_kib"]; v != 100 {
		t.Errorf("calm: %v KiB", v)
	}
	if v := readings(doc("14000", "84000", "12").Batch(time.Second))["disk.io_kib"]; v != 6 {
		t.Errorf("stall: %v KiB", v)
	}
	if b := doc("900", "90000", "1000").Batch(time.Second); len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "avgReqSz") {
		t.Errorf("a size in an unknown unit: notes %q", b.Notes)
	}
	idle := readings(doc("0", "0", "0").Batch(time.Second))
	if _, ok := idle["disk.io_kib"]; ok || idle["disk.iops"] != 0 {
		t.Errorf("no I/O: %v", idle)
	}
}

func TestSQLServerIsRefused(t *testing.T) {
	_, err := Decode(sample(t, "partial-sql_server_dict.json"), eventTime)
	var engine *EngineError
	if !errors.As(err, &engine) || engine.Engine != "SqlServer" || engine.Instance != "db-one" {
		t.Errorf("got %v", err)
	}
}

func TestShapes(t *testing.T) {
	head := `{"engine":"postgres","instanceID":"a","timestamp":"2026-12-01T02:00:00Z","version":1.00,"serverlessDatabaseCapacity":{"x":[1]}`
	docs, err := Decode([]byte(head+`,"diskIO":{"not":"a list"}}`+"\n"+head+`,"diskIO":[7,{"device":"rdsdev","tps":"12.5","readIOsPS":12.5,"writeIOsPS":null,"await":-1}],"tasks":"none"} [1] `+head+`}garbage{`), time.Time{})
	if len(docs) != 3 || err == nil || !strings.Contains(err.Error(), "JSON array") || !strings.Contains(err.Error(), "not JSON from byte") {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	if strings.Contains(err.Error(), "garbage") {
		t.Errorf("the error quotes the message: %v", err)
	}
	if b := docs[0].Batch(0); len(b.Notes) != 1 || len(b.Samples) != 0 || b.Elapsed != unknownInterval {
		t.Errorf("no disk: %+v", b)
	}
	got := readings(docs[1].Batch(0))
	if _, ok := got["disk.write_iops"]; ok || got["disk.read_iops"] != 12.5 {
		t.Errorf("got %v", got)
	}
	if _, ok := got["disk.await_ms"]; ok {
		t.Error("a negative time was taken")
	}
}

// Several volumes: the database's own counts wherever it stands in the list.
func TestDeviceChoice(t *testing.T) {
	disk := func(name string, iops string) string {
		return `{"device":"` + name + `","tps":` + iops + `,"readIOsPS":` + iops + `,"writeIOsPS":0}`
	}
	for _, c := range []struct {
		disks string
		want  float64
		ok    bool
	}{
		{disk("filesystem", "1") + "," + disk("rdstemp", "2") + "," + disk("rdsdbdata2", "3") + "," + disk("rdsdev", "4"), 4, true},
		{disk("filesystem", "1") + "," + disk("rdsdbdata2", "3") + "," + disk("rdsdbdata", "5"), 5, true},
		{disk("filesystem", "1"), 0, false},
		{disk("rdstemp", "2") + "," + disk("newname", "9"), 0, false},
	} {
		docs, err := Decode([]byte(`{"engine":"POSTGRES","instanceID":"a","timestamp":"2026-12-01T02:00:00Z","diskIO":[`+c.disks+`]}`), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		b := docs[0].Batch(time.Second)
		if v, ok := readings(b)["disk.read_iops"]; ok != c.ok || v != c.want {
			t.Errorf("%s: %v, %v", c.disks, v, ok)
		}
		if c.ok == (len(b.Notes) > 0) {
			t.Errorf("%s: notes %q", c.disks, b.Notes)
		}
	}
}

// Process titles hold user names and addresses.
func TestProcessesNeverLeave(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		text := sample(t, filepath.Base(file))
		text = []byte(strings.Replace(string(text), `"processList": [`, `"processList": [{"name":"postgres: alice orders 10.1.2.3(40000) idle"},`, 1))
		docs, err := Decode(text, eventTime)
		for _, d := range docs {
			b := d.Batch(0)
			b.Ref = store.Ref{Cluster: "c", Instance: "i"}
			if kept := string(store.AppendRecording(nil, b)); strings.Contains(kept, "alice") || strings.Contains(kept, "postgres:") {
				t.Errorf("%s: %s", file, kept)
			}
		}
		if err != nil && strings.Contains(err.Error(), "alice") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		f.Add(sample(f, filepath.Base(file)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		docs, _ := Decode(text, eventTime)
		for _, d := range docs {
			b := d.Batch(0)
			if b.At.IsZero() || b.Elapsed <= 0 {
				t.Fatalf("at %v, over %v", b.At, b.Elapsed)
			}
			for _, s := range b.Samples {
				if v, ok := s.Value(b.Elapsed); !ok || s.N < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s is %v from %d", s.Signal.Name(), v, s.N)
				}
			}
		}
	})
}
