package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// document is a real one on one line, moved to another second.
func document(t *testing.T, at string) string {
	t.Helper()
	text, err := os.ReadFile("../../../store/em/testdata/psql-10.json")
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(line.String(), "2025-07-02T12:59:19Z", "2026-12-01T00:00:"+at+"Z", 1)
}

// exported is what `aws logs filter-log-events` writes, indented as it does.
func exported(t *testing.T, messages ...string) string {
	t.Helper()
	type event struct {
		LogStreamName string `json:"logStreamName"`
		Timestamp     int64  `json:"timestamp"`
		Message       string `json:"message"`
		EventID       string `json:"eventId"`
	}
	var list []event
	for i, m := range messages {
		stream, text, ok := strings.Cut(m, "|")
		if !ok {
			stream, text = "db-PUZFCRUUHY365QFJLTOUWRDOCQ", m
		}
		list = append(list, event{stream, time.Date(2026, 12, 1, 0, 0, 30+i, 0, time.UTC).UnixMilli(), text, fmt.Sprint(i)})
	}
	out, err := json.MarshalIndent(map[string]any{"events": list, "searchedLogStreams": []string{}}, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// seconds lists instance and second of every batch, and checks its readings.
func seconds(t *testing.T, list []store.Batch) string {
	t.Helper()
	var out []string
	for _, b := range list {
		name := ""
		if strings.HasSuffix(b.Instance, "-secondary") {
			name = "s"
		} else if b.Instance != "autotest-psql-10" || b.Cluster != "autotest-psql-10" || b.Source != "enhanced" {
			t.Errorf("a reading of %s by %s", b.Ref, b.Source)
		}
		found := false
		for _, s := range b.Samples {
			if v, ok := s.Value(b.Elapsed); s.Signal.Name() == "disk.write_kib_s" {
				found = ok && v > 14.46 && v < 14.48
			}
		}
		if !found {
			t.Errorf("%s at %v has not its KiB/s: %v", b.Ref, b.At, b.Samples)
		}
		out = append(out, name+b.At.Format("05"))
	}
	return strings.Join(out, " ")
}

func TestReadsExports(t *testing.T) {
	doc := func(at string) string { return document(t, at) }
	indented := func(text string) string {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for name, c := range map[string]struct{ text, seconds, problem string }{
		"one a line":         {doc("01") + "\n" + doc("02") + "\r\n\n" + doc("03"), "01 02 03", ""},
		"one document":       {doc("01"), "01", ""},
		"over several lines": {indented(doc("01")) + "\n" + indented(doc("02")), "01 02", ""},
		"two on a line":      {doc("01") + doc("02") + "\n" + doc("03") + "\n", "01 02 03", ""},
		"byte order mark":    {byteOrderMark + doc("01") + "\n", "01", ""},
		"a broken line":      {doc("01") + "\n" + doc("02")[:500] + "\n" + doc("03") + "\n", "01 03", "line 2: is not JSON from byte"},
		"filter-log-events":  {exported(t, doc("02"), doc("01"), doc("02"), doc("03")+doc("04")), "01 02 03 04", ""},
		"two exports":        {exported(t, doc("01"), doc("02")) + exported(t, doc("02"), doc("03")), "01 02 03", ""},
		"events on one line": {strings.ReplaceAll(exported(t, doc("01")), "\n", " "), "01", ""},
		"cut off":            {strings.TrimSuffix(exported(t, doc("01"), doc("02")), "],\n    \"searchedLogStreams\": []\n}\n"), "01 02", "event 3 and what follows can't be read"},
		"a list of events":   {strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(exported(t, doc("01")), "\n", ""), `{    "events": `), `,    "searchedLogStreams": []}`), "01", ""},
		"no time of its own": {exported(t, strings.Replace(doc("01"), "2026-12-01T00:00:01Z", "__timestamp__", 1)), "30", ""},
		"the standby":        {exported(t, doc("01"), "db-X-secondary|"+doc("01")), "01 s01", ""},
		"SQL Server":         {exported(t, doc("01"), `{"engine":"SqlServer","instanceID":"ms"}`), "01", "line 2: ms runs SqlServer"},
	} {
		t.Run(name, func(t *testing.T) {
			list, problems, err := Read(File{"f", strings.NewReader(c.text)})
			if err != nil {
				t.Fatal(err)
			}
			if got := seconds(t, list); got != c.seconds {
				t.Errorf("played %s, want %s", got, c.seconds)
			}
			if fmt.Sprint(problems) != "[]" && c.problem == "" || !strings.Contains(fmt.Sprint(problems), c.problem) {
				t.Errorf("problems %v, want %q", problems, c.problem)
			}
		})
	}
}

func TestExportsThatCannotBePlayed(t *testing.T) {
	for text, want := range map[string]string{
		`{"events":[]}`: "f is empty",
		`{"events":{}}`: "f has no line that can be played; the first problem is on line 1: event 1 and what",
		exported(t, `{"engine":"sqlserver-ee","instanceID":"ms"}`): "ms runs sqlserver-ee",
		exported(t, "not a document"):                              "is not JSON from byte",
	} {
		_, _, err := Read(File{"f", strings.NewReader(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

func FuzzExport(f *testing.F) {
	f.Add([]byte(`{"events":[{"message":"{\"engine\":\"POSTGRES\",\"instanceID\":\"a\"}","timestamp":1}]}`))
	f.Add([]byte(`{"engine":"POSTGRES","instanceID":"a","timestamp":"2026-12-01T00:00:01Z"}` + "\n[{}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		last := time.Time{}
		Play(t.Context(), []File{{"f", bytes.NewReader(text)}}, Options{}, func(b store.Batch) error {
			if b.At.Before(last) {
				t.Fatalf("%v after %v", b.At, last)
			}
			last = b.At
			return nil
		})
	})
}
