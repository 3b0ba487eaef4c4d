package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/store/em"
)

// maxProblems bounds the list of what is wrong with one export.
const maxProblems = 200

// readAny reads a recording, or Enhanced Monitoring documents.
func readAny(f File, each func(line int, b store.Batch) error) ([]store.LineProblem, error) {
	in := bufio.NewReaderSize(f.R, 64<<10)
	head, _ := in.Peek(16 << 10)
	shape := shapeOf(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(byteOrderMark))))
	if shape == recorded {
		return store.ReadRecording(in, f.Name, each)
	}
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		in.Discard(len(byteOrderMark))
	}
	var e export
	if shape == lines {
		if err := e.lines(in); err != nil {
			return e.problems, fmt.Errorf("%s: %w", f.Name, err)
		}
	} else {
		e.values(in)
	}
	return e.problems, e.play(each)
}

const byteOrderMark = "\xef\xbb\xbf"

// shape is how a file holds its readings.
type shape int

const (
	recorded shape = iota
	lines          // a document or a log event on each line
	values         // JSON over several lines: what the aws command writes
)

// shapeOf tells by the beginning of a file. A recording has an "at" in each line
// and never one of the keys asked for here.
func shapeOf(head []byte) shape {
	first, _, whole := bytes.Cut(head, []byte("\n"))
	has := func(text []byte, key string) bool { return bytes.Contains(text, []byte(`"`+key+`"`)) }
	inner := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("{")))
	switch {
	case len(head) == 0 || head[0] != '{' && head[0] != '[':
		return recorded
	case bytes.HasPrefix(inner, []byte(`"events"`)), head[0] == '[', has(head, "searchedLogStreams"):
		return values
	case has(first, "at") && has(first, "cluster"):
		return recorded
	case !has(head, "instanceID") && !(has(head, "message") && has(head, "timestamp")) && !bytes.Contains(head, []byte(`\"instanceID\"`)):
		return recorded
	case !whole || json.Valid(first):
		return lines
	}
	return values
}

// export collects the documents of a file. Log events of several streams are not
// in the order of time, so that all readings of a file are held until its end;
// they take a tenth of the documents' own size.
type export struct {
	batches  []store.Batch
	problems []store.LineProblem
	count    int // values read, when the file is not one of lines
}

// logEvent is one event as the aws command writes it.
type logEvent struct {
	Message   *string `json:"message"`
	Timestamp int64   `json:"timestamp"`
	Stream    string  `json:"logStreamName"`
}

func (e *export) problem(n int, err error) {
	for _, text := range strings.Split(err.Error(), "\n") {
		if len(e.problems) < maxProblems {
			e.problems = append(e.problems, store.LineProblem{Line: n, Text: text})
		}
	}
}

// lines reads one value a line; a broken line costs that line.
func (e *export) lines(in *bufio.Reader) error {
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			e.value(n, text)
		}
		if err != nil {
			return nil
		}
	}
}

// value takes a document, or a log event around one.
func (e *export) value(n int, text []byte) {
	var event logEvent
	var at time.Time
	if json.Unmarshal(text, &event) == nil && event.Message != nil {
		if event.Timestamp > 0 {
			at = time.UnixMilli(event.Timestamp)
		}
		text = []byte(*event.Message)
	}
	e.documents(n, text, at, event.Stream)
}

func (e *export) documents(n int, text []byte, at time.Time, stream string) {
	docs, err := em.Decode(text, at)
	for _, d := range docs {
		b := d.Batch(0)
		b.Ref = store.Ref{Cluster: d.Instance, Instance: d.Instance}
		if strings.HasSuffix(stream, em.Secondary) || strings.HasSuffix(d.ResourceID, em.Secondary) {
			b.Instance += em.Secondary
		}
		e.batches = append(e.batches, b)
	}
	if err != nil {
		e.problem(n, err)
	}
}

// play hands on what was read in the order of time, each document once: an
// export by overlapping times holds some of them twice.
func (e *export) play(each func(int, store.Batch) error) error {
	slices.SortStableFunc(e.batches, func(a, b store.Batch) int { return a.At.Compare(b.At) })
	last := map[store.Ref]time.Time{}
	for i, b := range e.batches {
		if at, seen := last[b.Ref]; seen && !b.At.After(at) {
			continue
		}
		last[b.Ref] = b.At
		if err := each(i+1, b); err != nil {
			return err
		}
	}
	return nil
}
