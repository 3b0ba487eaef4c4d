package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// ReplaySource is the source of a recorded line that names none.
const ReplaySource = "replay"

// recordedLine is one line of a recording: a JSON object. Values and facts stay
// raw, so that one bad value costs that value and not its line.
type recordedLine struct {
	At       string                     `json:"at"`
	Cluster  string                     `json:"cluster"`
	Instance string                     `json:"instance"`
	Source   string                     `json:"source,omitempty"`
	Role     string                     `json:"role,omitempty"`
	ElapsedS float64                    `json:"elapsed_s,omitempty"`
	Values   map[string]json.RawMessage `json:"values,omitempty"`
	Facts    map[string]json.RawMessage `json:"facts,omitempty"`
	Error    string                     `json:"error,omitempty"`
	Notes    []string                   `json:"notes,omitempty"`
	Timeline []Event                    `json:"timeline,omitempty"`
	Restart  bool                       `json:"restart,omitempty"`
}

// recordedKeys are the keys a line may have.
var recordedKeys = []string{"at", "cluster", "instance", "source", "role", "elapsed_s", "values", "facts", "error", "notes", "timeline", "restart"}

// LineProblem is one thing that is wrong with one line of a recording.
type LineProblem struct {
	Line int    // from 1
	Text string // what is wrong, and the nearest valid name where one helps
}

// String returns "line 7: ...".
func (p LineProblem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Text) }

// WriteRecording writes batches, which must ascend in time, one line each. It
// returns the first error of w.
func WriteRecording(w io.Writer, batches []Batch) error {
	var buf []byte
	for _, b := range batches {
		buf = AppendRecording(buf[:0], b)
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// AppendRecording appends b as one line with its newline. Rates that have no
// elapsed time are left out: they are unknown.
func AppendRecording(buf []byte, b Batch) []byte {
	line := recordedLine{
		At: b.At.UTC().Format(time.RFC3339Nano), Cluster: b.Cluster, Instance: b.Instance,
		Source: b.Source, Role: string(b.Role), Values: recordValues(b), Facts: recordFacts(b.Facts),
		Error: b.Err, Notes: b.Notes, Timeline: b.Events, Restart: b.Restart,
	}
	if line.Source == ReplaySource {
		line.Source = ""
	}
	if b.Elapsed > 0 && hasRate(b.Samples) {
		line.ElapsedS = b.Elapsed.Seconds()
	}
	return append(append(buf, encode(line)...), '\n')
}

func hasRate(samples []Sample) bool {
	for _, s := range samples {
		if s.Signal.Info().Kind == Rate {
			return true
		}
	}
	return false
}

// recordValues turns samples into numbers, and labelled ones into objects; the
// sample that says "read, and these labels are all there are" is the object itself.
func recordValues(b Batch) map[string]json.RawMessage {
	plain := map[string]json.RawMessage{}
	labelled := map[string]map[string]float64{}
	for _, s := range b.Samples {
		v, ok := s.Value(b.Elapsed)
		if !ok {
			continue
		}
		name := s.Signal.Name()
		if s.Signal.Info().Label == "" {
			plain[name] = encode(v)
			continue
		}
		if labelled[name] == nil {
			labelled[name] = map[string]float64{}
		}
		if s.Label != "" {
			labelled[name][s.Label] = v
		}
	}
	for name, byLabel := range labelled {
		plain[name] = encode(byLabel)
	}
	return plain
}

func recordFacts(facts map[string]string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(facts))
	for name, text := range facts {
		out[name] = encode(text)
	}
	return out
}

// encode is json.Marshal without the HTML escapes, which make SQL unreadable.
// It is only given values that have a JSON form.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("store: recording line does not encode: " + err.Error())
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}
