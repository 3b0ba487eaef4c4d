package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// play reads a recording from text.
func play(t *testing.T, text string) ([]Batch, []LineProblem) {
	t.Helper()
	var out []Batch
	problems, err := ReadRecording(strings.NewReader(text), "test", func(_ int, b Batch) error {
		out = append(out, b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, problems
}

func line(at, rest string) string {
	return `{"at":"2026-12-01T02:29:` + at + `Z","cluster":"lab","instance":"p"` + rest + "}\n"
}

func value(t *testing.T, b Batch, name, label string) (float64, bool) {
	t.Helper()
	for _, s := range b.Samples {
		if s.Signal.Name() == name && s.Label == label {
			return s.Value(b.Elapsed)
		}
	}
	return 0, false
}

func TestReadRecordingValues(t *testing.T) {
	got, problems := play(t, line("56.002", `,"role":"primary","values":{"disk.write_iops":1531,"latency.p50_ms":1085.7,"pg.vacuum.passes":{"public.usage_events":1},"pg.vacuum.running":{},"pg.tps":null},"facts":{"pg.setting.x":"0.2"},"error":"late"`)+
		line("58.502", `,"values":{"disk.write_iops":100}`)+
		line("58.502", `,"source":"postgres","values":{"pg.tps":7}`))
	if len(problems) > 0 || len(got) != 3 {
		t.Fatalf("%d batches, problems %v", len(got), problems)
	}
	first := got[0]
	if first.Ref != (Ref{"lab", "p"}) || first.Role != RolePrimary || first.Source != "replay" || first.Err != "late" || first.Facts["pg.setting.x"] != "0.2" {
		t.Errorf("first batch of %s from %q: role %q, error %q, facts %v", first.Ref, first.Source, first.Role, first.Err, first.Facts)
	}
	if first.Elapsed != time.Second || got[1].Elapsed != 2500*time.Millisecond || got[2].Elapsed != time.Second {
		t.Errorf("elapsed %v, %v, %v", first.Elapsed, got[1].Elapsed, got[2].Elapsed)
	}
	for _, want := range []struct {
		b           Batch
		name, label string
		v           float64
	}{
		{first, "disk.write_iops", "", 1531},
		{first, "latency.p50_ms", "", 1085.7},
		{first, "pg.vacuum.passes", "public.usage_events", 1},
		{first, "pg.vacuum.passes", "", 0},
		{first, "pg.vacuum.running", "", 0},
		{got[1], "disk.write_iops", "", 100},
		{got[2], "pg.tps", "", 7},
	} {
		if v, ok := value(t, want.b, want.name, want.label); !ok || math.Abs(v-want.v) > 1e-3 {
			t.Errorf("%s{%s} = %v, %v, want %v", want.name, want.label, v, ok, want.v)
		}
	}
	if _, ok := value(t, first, "pg.tps", ""); ok {
		t.Error("null must be unknown, not a value")
	}
}

func TestReadRecordingDerived(t *testing.T) {
	got, _ := play(t, line("01", `,"values":{"disk.io_kib":9.8}`)+
		line("02", `,"values":{"disk.iops":99,"disk.read_iops":1,"disk.write_iops":2}`))
	if v, ok := value(t, got[0], "disk.io_kib", ""); !ok || math.Abs(v-9.8) > 1e-9 {
		t.Errorf("disk.io_kib that can't be computed must be taken as it stands, got %v, %v", v, ok)
	}
	if _, ok := value(t, got[1], "disk.iops", ""); ok {
		t.Error("disk.iops must be computed from its inputs where they are there")
	}
}

func TestReadRecordingProblems(t *testing.T) {
	good := line("30", `,"values":{"pg.tps":1}`)
	for name, c := range map[string]struct {
		text   string
		says   string
		played int // batches besides the two good ones around it
	}{
		"not json":          {"{oops\n", "not a JSON object", 0},
		"cut off":           {strings.TrimSuffix(good, "}\n") + "\n", "not a JSON object", 0},
		"array":             {"[1]\n", "a JSON array", 0},
		"no time":           {`{"cluster":"lab","instance":"p"}` + "\n", "has no time", 0},
		"bad time":          {`{"at":"yesterday","cluster":"lab","instance":"p"}` + "\n", "yesterday", 0},
		"time as number":    {`{"at":12,"cluster":"lab","instance":"p"}` + "\n", `"at" must not be a number`, 0},
		"backwards":         {line("10", ""), "ascend", 0},
		"far ahead":         {`{"at":"2031-01-01T00:00:00Z","cluster":"lab","instance":"p"}` + "\n", "far ahead", 0},
		"no instance":       {`{"at":"2026-12-01T02:29:30Z","cluster":"lab"}` + "\n", `no "instance"`, 0},
		"slash":             {`{"at":"2026-12-01T02:29:30Z","cluster":"a/b","instance":"p"}` + "\n", "slashes", 0},
		"not text":          {line("30", `,"error":"`+"\xff"+`"`), "UTF-8", 0},
		"too long":          {line("30", `,"error":"`+strings.Repeat("x", maxRecordedLine)+`"`), "longer than 4 MiB", 0},
		"unknown signal":    {line("30", `,"values":{"disk.read_iosp":1,"pg.tps":2}`), `did you mean "disk.read_iops"`, 1},
		"number for labels": {line("30", `,"values":{"pg.vacuum.running":1}`), "object of numbers by table", 1},
		"labels for number": {line("30", `,"values":{"pg.tps":{"a":1}}`), "must be a number", 1},
		"text for number":   {line("30", `,"values":{"pg.tps":"7"}`), "must be a number", 1},
		"too large":         {line("30", `,"values":{"pg.tps":1e300}`), "too large", 1},
		"unknown key":       {line("30", `,"vlaues":{}`), `did you mean "values"`, 1},
		"role":              {line("30", `,"role":"master"`), `unknown role "master"`, 1},
		"fact":              {line("30", `,"facts":{"pg.x":1}`), "text in quotes", 1},
		"elapsed":           {line("30", `,"elapsed_s":-3`), "elapsed_s is -3", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := play(t, good+c.text+line("31", `,"values":{"pg.tps":1}`))
			if len(problems) != 1 || problems[0].Line != 2 || !strings.Contains(problems[0].Text, c.says) {
				t.Errorf("problems %v, want line 2: ...%s...", problems, c.says)
			}
			if len(got) != 2+c.played {
				t.Errorf("%d lines played, want %d", len(got), 2+c.played)
			}
		})
	}
}

func TestReadRecordingTolerates(t *testing.T) {
	got, problems := play(t, "\xef\xbb\xbf"+strings.ReplaceAll(line("30", ""), "\n", "\r\n\r\n")+strings.TrimSpace(line("31", "")))
	if len(got) != 2 || len(problems) != 0 {
		t.Errorf("byte order mark, CRLF, blank lines and a last line without end: %d lines, problems %v", len(got), problems)
	}
	got, problems = play(t, strings.Repeat("junk\n", 10*maxProblems)+line("30", ""))
	if len(got) != 1 || len(problems) != maxProblems+1 {
		t.Errorf("%d lines played, %d problems listed", len(got), len(problems))
	}
}

func TestReadRecordingRefuses(t *testing.T) {
	for text, says := range map[string]string{
		`{"engine":"POSTGRES","instanceID":"b","physicalDeviceIO":[]}`: "Enhanced Monitoring",
		"{\n  \"events\": [\n": "Enhanced Monitoring",
		"\x1f\x8b\x08":         "compressed",
		"SQLite format 3\x00":  "SQLite",
	} {
		_, err := ReadRecording(strings.NewReader(text), "f.jsonl", func(int, Batch) error { return nil })
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "f.jsonl") {
			t.Errorf("%.20q: %v, want a sentence with %q", text, err, says)
		}
	}
	stop := errors.New("stop")
	_, err := ReadRecording(strings.NewReader(line("30", "")+line("31", "")), "f", func(int, Batch) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("each's error got lost: %v", err)
	}
}

func TestRecordingRoundTrip(t *testing.T) {
	at := time.Date(2026, 12, 1, 2, 29, 56, 2e6, time.UTC)
	ref := Ref{"lab", "p"}
	in := []Batch{
		{Ref: ref, Source: "nodeexporter", At: at, Elapsed: 1003 * time.Millisecond, Samples: []Sample{
			{readIOPS, "", 17}, {writeIOPS, "", 1531}, {readKiBS, "", 123456789}, {MustLookup("disk.queue"), "", 187}}},
		{Ref: ref, Source: "postgres", At: at, Role: RoleStandby, Facts: map[string]string{"pg.setting.a": "<on> & 'x'"},
			Samples: []Sample{{vacuumPasses, "", 0}, {vacuumPasses, "public.t", 1}, {vacuumRunning, "", 0}}},
		{Ref: ref, Source: "postgres", At: at.Add(time.Second), Err: "no answer", Notes: []string{"GRANT pg_monitor"}, Restart: true,
			Events: []Event{{At: at, Ref: ref, Kind: "reset", Text: "statistics were reset"}}},
	}
	var buf bytes.Buffer
	if err := WriteRecording(&buf, in); err != nil {
		t.Fatal(err)
	}
	out, problems := play(t, buf.String())
	if len(problems) > 0 || len(out) != len(in) {
		t.Fatalf("%d of %d batches came back, problems %v", len(out), len(in), problems)
	}
	if out[0].Elapsed != in[0].Elapsed || out[1].Role != RoleStandby || out[1].Facts["pg.setting.a"] != in[1].Facts["pg.setting.a"] {
		t.Errorf("elapsed %v, role %q, facts %v came back", out[0].Elapsed, out[1].Role, out[1].Facts)
	}
	last := out[2]
	if last.Err != "no answer" || !last.Restart || len(last.Notes) != 1 || len(last.Events) != 1 || last.Events[0] != in[2].Events[0] {
		t.Errorf("error %q, restart %v, notes %q, events %v came back", last.Err, last.Restart, last.Notes, last.Events)
	}
	for i := range in {
		sameSamples(t, in[i], out[i])
	}
}

func sameSamples(t *testing.T, in, out Batch) {
	t.Helper()
	for _, s := range in.Samples {
		want, known := s.Value(in.Elapsed)
		got, ok := value(t, out, s.Signal.Name(), s.Label)
		if ok != known || math.Abs(got-want) > s.Signal.Info().Scale {
			t.Errorf("%s{%s}: %v, %v became %v, %v", s.Signal.Name(), s.Label, want, known, got, ok)
		}
	}
}

func TestUnknownRateIsNotRecorded(t *testing.T) {
	b := Batch{Ref: Ref{"lab", "p"}, At: time.Unix(1e9, 0), Samples: []Sample{{readIOPS, "", 5}}}
	if got := string(AppendRecording(nil, b)); strings.Contains(got, "disk.read_iops") {
		t.Errorf("a rate without elapsed time was written: %s", got)
	}
}

// fixtures are the real recordings the library is tested with.
func fixtures(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("../runbooks/*/fixtures/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no fixtures: %v", err)
	}
	return files
}

func TestFixturesReadWithoutProblems(t *testing.T) {
	for _, name := range fixtures(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, problems := play(t, string(text))
		if want := bytes.Count(text, []byte("\n")); len(got) != want || len(problems) > 0 {
			t.Errorf("%s: %d of %d lines played, problems %v", name, len(got), want, problems)
		}
		var again bytes.Buffer
		if err := WriteRecording(&again, got); err != nil {
			t.Fatal(err)
		}
		back, problems := play(t, again.String())
		if len(back) != len(got) || len(problems) > 0 {
			t.Fatalf("%s: written and read again: %d lines, problems %v", name, len(back), problems)
		}
		for i := range got {
			sameSamples(t, got[i], back[i])
		}
	}
}

func FuzzReadRecording(f *testing.F) {
	f.Add([]byte(line("30", `,"elapsed_s":0.5,"values":{"pg.tps":2.5,"pg.vacuum.running":{"a":1}},"facts":{"a":"b"}`)))
	f.Add([]byte(line("30", "") + "junk\n" + line("29", "") + line("31", `,"values":{"disk.read_kib_s":-1e9}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []Batch
		problems, err := ReadRecording(bytes.NewReader(text), "fuzz", func(_ int, b Batch) error {
			if len(got) > 0 && b.At.Before(got[len(got)-1].At) {
				t.Fatal("time ran backwards")
			}
			got = append(got, b)
			return nil
		})
		if len(problems) > maxProblems+1 {
			t.Fatalf("%d problems listed", len(problems))
		}
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if err := WriteRecording(&buf, got); err != nil {
			t.Fatal(err)
		}
		back, problems := play(t, buf.String())
		if len(back) != len(got) || len(problems) > 0 {
			t.Fatalf("%d of %d lines came back: %v\n%s", len(back), len(got), problems, buf.Bytes())
		}
		for i := range got {
			sameSamples(t, got[i], back[i])
		}
	})
}

// A recorder's clock that jumps an hour ahead and is set back costs the lines
// until that is sure, not all that follow.
func TestRecordingWithAClockSetBack(t *testing.T) {
	var text strings.Builder
	at := time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
	for i := range 60 {
		stamp := at.Add(time.Duration(i) * time.Second)
		if i >= 20 && i < 25 {
			stamp = stamp.Add(time.Hour)
		}
		fmt.Fprintf(&text, `{"at":%q,"cluster":"lab","instance":"p","values":{"pg.active":%d}}`+"\n", stamp.Format(time.RFC3339Nano), i)
	}
	got, problems := play(t, text.String())
	if len(got) < 55 || got[len(got)-1].At != at.Add(59*time.Second) {
		t.Errorf("%d of 60 lines were played, the last at %v", len(got), got[len(got)-1].At)
	}
	if len(problems) == 0 || len(problems) > 5 {
		t.Errorf("problems: %v", problems)
	}
}
