package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
)

// parseLine reads what stands in one line. err means that the line can't be
// played; what only costs a part of it goes to problem.
func parseLine(n int, text []byte, problem func(int, string, ...any)) (*heldLine, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, jsonProblem(err)
	}
	for _, key := range sortedKeys(keys) {
		if !slices.Contains(recordedKeys, key) {
			problem(n, "unknown key %q%s", key, hint(Nearest(key, recordedKeys)))
		}
	}
	var line recordedLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, jsonProblem(err)
	}
	at, err := recordedTime(line.At)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkName("cluster", line.Cluster), checkName("instance", line.Instance)); err != nil {
		return nil, err
	}
	b := Batch{
		Ref: Ref{line.Cluster, line.Instance}, Source: cmp.Or(line.Source, ReplaySource), At: at,
		Err: line.Error, Notes: line.Notes, Events: line.Timeline, Restart: line.Restart,
	}
	for i := range b.Events {
		b.Events[i].Ref = b.Ref
	}
	b.Role = recordedRole(n, line.Role, problem)
	b.Facts = recordedFacts(n, line.Facts, problem)
	switch e := line.ElapsedS; {
	case e < 0 || e > 366*86400:
		problem(n, "elapsed_s is %v, which is not a time between two readings; the time since the previous line is used", e)
	default:
		b.Elapsed = time.Duration(math.Round(e * 1e9))
	}
	return &heldLine{n, b, line.Values}, nil
}

func jsonProblem(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("is not a JSON object: %w (byte %d)", err, syntax.Offset)
	case errors.As(err, &typ) && typ.Field != "":
		return fmt.Errorf("%q must not be a %s", typ.Field, typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("is a JSON %s, not an object", typ.Value)
	}
	return fmt.Errorf("is not a JSON object: %w", err)
}

func recordedTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, errors.New(`has no time: "at" must be like "2026-12-01T02:29:56.002Z"`)
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf(`"at" is %.40q, which is not a time like "2026-12-01T02:29:56.002Z"`, text)
	}
	if at = at.UTC(); at.Year() < 1970 || at.Year() > 2200 {
		return time.Time{}, fmt.Errorf(`"at" lies in the year %d`, at.Year())
	}
	return at, nil
}

// checkName refuses names that would break a path or a terminal.
func checkName(key, name string) error {
	bad := func(r rune) bool { return r == '/' || unicode.IsControl(r) }
	switch {
	case name == "":
		return fmt.Errorf("has no %q", key)
	case len(name) > 200 || strings.ContainsFunc(name, bad):
		return fmt.Errorf("%q is %.60q: a name has at most 200 bytes and neither slashes nor control characters", key, name)
	}
	return nil
}

func recordedRole(n int, role string, problem func(int, string, ...any)) Role {
	switch r := Role(role); r {
	case RolePrimary, RoleStandby, RoleUnknown:
		return r
	}
	problem(n, `unknown role %q: it is "primary", "standby" or left out`, role)
	return RoleUnknown
}

func recordedFacts(n int, raw map[string]json.RawMessage, problem func(int, string, ...any)) map[string]string {
	if len(raw) == 0 {
		return nil
	}
	facts := make(map[string]string, len(raw))
	for _, name := range sortedKeys(raw) {
		var text *string
		if err := json.Unmarshal(raw[name], &text); err != nil {
			problem(n, "fact %q is %.40s: a fact is a text in quotes", name, raw[name])
		} else if text != nil {
			facts[name] = *text
		}
	}
	return facts
}

// samplesOf turns the values of a line into samples, in the order of their names.
func samplesOf(values map[string]json.RawMessage, elapsed time.Duration, problem func(string, ...any)) []Sample {
	out := make([]Sample, 0, len(values))
	add := func(id SignalID, label string, v float64) {
		// Beyond 2^53 an integer and its float part ways.
		if s := SampleOf(id, label, v, elapsed); math.Abs(float64(s.N)) < 1<<53 && math.Abs(v) < 1e15 {
			out = append(out, s)
			return
		}
		problem("%s is %g, which is too large to be true", id.Name(), v)
	}
	for _, name := range sortedKeys(values) {
		raw := values[name]
		id, known := Lookup(name)
		if !known {
			problem("unknown signal %q%s", name, hint(NearestSignal(name)))
			continue
		}
		if bytes.Equal(raw, []byte("null")) || computed(id, values) {
			continue
		}
		if label := id.Info().Label; label != "" {
			byLabel, err := labelledValue(name, label, raw)
			if err != nil {
				problem("%s", err)
				continue
			}
			add(id, "", 0)
			for _, l := range sortedKeys(byLabel) {
				add(id, l, byLabel[l])
			}
			continue
		}
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil {
			problem("%s is %.40s: it must be a number", name, raw)
			continue
		}
		add(id, "", v)
	}
	return out
}

// computed reports whether the program works a recorded value out by itself,
// with more digits, from the line's other values.
func computed(id SignalID, values map[string]json.RawMessage) bool {
	d, derived := DerivationOf(id)
	return derived && !slices.ContainsFunc(d.Inputs, func(in SignalID) bool {
		_, there := values[in.Name()]
		return !there
	})
}

func labelledValue(name, label string, raw json.RawMessage) (map[string]float64, error) {
	var byLabel map[string]*float64
	if err := json.Unmarshal(raw, &byLabel); err != nil {
		return nil, fmt.Errorf(`%s is %.40s: it must be an object of numbers by %s, like {"a": 1}, or {} when there is none`, name, raw, label)
	}
	out := make(map[string]float64, len(byLabel))
	for l, v := range byLabel {
		if l != "" && v != nil {
			out[l] = *v
		}
	}
	return out, nil
}

func hint(nearest string) string {
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", nearest)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
