package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

const (
	// maxRecordedLine bounds one line; 128 labels of every labelled signal fit ten times.
	maxRecordedLine = 4 << 20
	// maxProblems bounds the list, so that a binary file named by mistake gives a page and not a flood.
	maxProblems = 200
	// strayJump tells which of two lines out of order is the wrong one: a line
	// that is further ahead than this of the one behind it.
	strayJump = time.Hour
)

// ReadRecording reads a recording and calls each for every line that can be
// played, in order. What is wrong with a line goes to problems and the rest is
// played; err is an error of r or of each, or says why the file as a whole is
// not a recording. name is used in err only.
//
// Elapsed is the line's own elapsed_s, else the time since the previous line of
// that instance and source, else 1 s: a recorded rate is a value even in the
// first line.
func ReadRecording(r io.Reader, name string, each func(line int, b Batch) error) (problems []LineProblem, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if err := refuseForeign(in, name); err != nil {
		return nil, err
	}
	rd := recordingReader{each: each, clocks: map[clockKey]*clock{}}
	for n := 1; ; n++ {
		text, tooLong, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return rd.problems, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		if tooLong {
			rd.problem(n, "is longer than %d MiB and was left out", maxRecordedLine>>20)
		} else if len(text) > 0 {
			if err := rd.line(n, text); err != nil {
				return rd.problems, err
			}
		}
		if err != nil {
			return rd.problems, rd.flush()
		}
	}
}

// readLine returns one line without its end; tooLong means that it was read to
// its end and dropped.
func readLine(in *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxRecordedLine {
			tooLong, text = true, nil
		}
		if !tooLong {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(text), tooLong, err
		}
	}
}

// refuseForeign recognises files that are something else by their first bytes,
// because a thousand line problems would hide the one sentence that helps. It
// also takes off a byte order mark.
func refuseForeign(in *bufio.Reader, name string) error {
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		in.Discard(3)
	}
	head, _ := in.Peek(4096)
	head = bytes.TrimSpace(head)
	inner := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("{")))
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return fmt.Errorf("%s is compressed; unpack it first (gunzip)", name)
	case bytes.HasPrefix(head, []byte("SQLite format 3")):
		return fmt.Errorf("%s is a SQLite database, not a recording; stallbook record writes recordings", name)
	case bytes.HasPrefix(inner, []byte(`"events"`)), has("instanceID") && !has("values"):
		return fmt.Errorf("%s holds Enhanced Monitoring documents, not a recording as stallbook record writes it", name)
	}
	return nil
}

type clockKey struct {
	Ref
	source string
}

// clock is when one source of one instance was last seen.
type clock struct {
	at      time.Time
	elapsed time.Duration
}

// recordingReader holds one line back: whether a line that runs ahead is stray
// shows only when the next one is read.
type recordingReader struct {
	each     func(int, Batch) error
	problems []LineProblem
	clocks   map[clockKey]*clock
	last     time.Time // of the newest line handed on
	held     *heldLine
	back     int       // lines in a row that lie before an earlier one
	backAt   time.Time // of the last of them
}

type heldLine struct {
	n int
	b Batch
	v map[string]json.RawMessage
}

func (rd *recordingReader) problem(line int, format string, args ...any) {
	switch n := len(rd.problems); {
	case n < maxProblems:
		rd.problems = append(rd.problems, LineProblem{line, fmt.Sprintf(format, args...)})
	case n == maxProblems:
		rd.problems = append(rd.problems, LineProblem{line, "more problems follow and are not listed"})
	}
}

// line reads one line and hands on the one held before it.
func (rd *recordingReader) line(n int, text []byte) error {
	if !utf8.Valid(text) {
		rd.problem(n, "is not UTF-8 text")
		return nil
	}
	next, err := parseLine(n, text, rd.problem)
	if err != nil {
		rd.problem(n, "%s", err)
		return nil
	}
	switch {
	case !next.b.At.Before(rd.last):
		rd.back = 0
	case !rd.clockBack(n, next.b.At):
		return nil
	default:
		if err := rd.flush(); err != nil {
			return err
		}
		rd.last, rd.held = time.Time{}, next
		return nil
	}
	if held := rd.held; held != nil && next.b.At.Before(held.b.At) {
		if held.b.At.Sub(next.b.At) <= strayJump {
			rd.backwards(n, next.b.At, held.b.At)
			return nil
		}
		rd.problem(held.n, "its time %s is far ahead of the next line's %s", stamp(held.b.At), stamp(next.b.At))
		rd.held = nil
	}
	if err := rd.flush(); err != nil {
		return err
	}
	rd.held = next
	return nil
}

// clockBack reports whether the recorder's clock was set back: that is so when
// several lines in a row ascend from an earlier time. Until then each is a line
// out of order.
func (rd *recordingReader) clockBack(n int, at time.Time) bool {
	if at.Before(rd.backAt) {
		rd.back = 0
	}
	rd.back, rd.backAt = rd.back+1, at
	if rd.back < clockBackLines || rd.last.Sub(at) < time.Minute {
		rd.backwards(n, at, rd.last)
		return false
	}
	rd.problem(n, "the clock went back by %s; what follows is played from here", rd.last.Sub(at).Round(time.Second))
	rd.back, rd.clocks = 0, map[clockKey]*clock{}
	return true
}

// clockBackLines is how many lines in a row must lie before an earlier one to
// mean that the clock was set back.
const clockBackLines = 4

func (rd *recordingReader) backwards(n int, at, last time.Time) {
	rd.problem(n, "its time %s lies before that of an earlier line, %s: lines must ascend in time", stamp(at), stamp(last))
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.999Z07:00") }

// flush hands on the held line.
func (rd *recordingReader) flush() error {
	h := rd.held
	if h == nil {
		return nil
	}
	rd.held, rd.last = nil, h.b.At
	key := clockKey{h.b.Ref, h.b.Source}
	c := rd.clocks[key]
	if c == nil {
		c = &clock{elapsed: time.Second}
		rd.clocks[key] = c
	} else if h.b.At.After(c.at) {
		c.elapsed = wholeSeconds(h.b.At.Sub(c.at))
	}
	c.at = h.b.At
	if h.b.Elapsed == 0 {
		h.b.Elapsed = c.elapsed
	}
	h.b.Samples = samplesOf(h.v, h.b.Elapsed, func(format string, args ...any) { rd.problem(h.n, format, args...) })
	return rd.each(h.n, h.b)
}

// jitter is how far from whole seconds a sampler's ticks are.
const jitter = 20 * time.Millisecond

// wholeSeconds takes the jitter out of the time between two lines, which would
// turn a recorded 298 into 297.9997.
func wholeSeconds(d time.Duration) time.Duration {
	if whole := d.Round(time.Second); whole > 0 && (d-whole).Abs() < jitter {
		return whole
	}
	return d
}
