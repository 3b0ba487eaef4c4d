package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"stallbook/store/strict"
)

// reader turns the file's texts into values and remembers everything that is
// wrong. Keys are named by their path, "clusters[0].name".
type reader struct {
	file   string
	env    func(string) (string, bool)
	lines  map[string]int  // path to line
	misspt map[string]bool // paths of mappings that hold an unknown key
	found  strict.Problems
}

func newReader(file string, data []byte, env func(string) (string, bool), found strict.Problems) *reader {
	r := &reader{file: file, env: env, lines: map[string]int{"": 1}, misspt: map[string]bool{}, found: found}
	bad := map[int]bool{}
	for _, p := range found {
		bad[p.Line] = true
	}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) == nil && len(doc.Content) > 0 {
		r.index(doc.Content[0], "", bad)
	}
	return r
}

// index notes the line of every key and list item.
func (r *reader) index(n *yaml.Node, path string, bad map[int]bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			p := join(path, key.Value)
			r.lines[p] = key.Line
			r.misspt[path] = r.misspt[path] || bad[key.Line]
			r.index(n.Content[i+1], p, bad)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			p := fmt.Sprintf("%s[%d]", path, i)
			r.lines[p] = item.Line
			r.index(item, p, bad)
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// line is where path stands, or where the nearest thing around it does.
func (r *reader) line(path string) int {
	for path != "" {
		if n, ok := r.lines[path]; ok {
			return n
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1
}

func (r *reader) has(path string) bool { _, ok := r.lines[path]; return ok }

func (r *reader) add(path, format string, args ...any) {
	r.found = append(r.found, strict.Problem{File: r.file, Line: r.line(path), Message: fmt.Sprintf(format, args...)})
}

// missing reports a key that must be there, unless a misspelt key beside it is
// already reported: that is most likely the one.
func (r *reader) missing(path, key, why string) {
	if !r.misspt[path] {
		r.add(path, "%s is missing: %s", join(path, key), why)
	}
}

// later refuses a key that the format has and this build has not.
func (r *reader) later(present *later, path string) {
	if present != nil || r.has(path) {
		r.add(path, "%s is not supported by this build yet; remove it, and see docs/configuration.md for what is", path)
	}
}

// duration reads "14d", "10m" or "200ms"; "" gives def.
func (r *reader) duration(text, path string, def, least time.Duration) time.Duration {
	text = r.expand(text, path)
	if text == "" {
		return def
	}
	d, ok := parseDuration(text)
	switch {
	case !ok:
		r.add(path, "%s: %q is no duration; write a number and a unit, such as 200ms, 10m, 36h or 14d", path, text)
		return def // so that nothing is said of how it compares with others
	case d < least:
		r.add(path, "%s: %s is too short, the least is %s", path, text, least)
	}
	return d
}

func parseDuration(text string) (time.Duration, bool) {
	for unit, size := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			v, err := strconv.ParseFloat(n, 64)
			d := v * float64(size)
			return time.Duration(d), err == nil && d >= 0 && d < float64(1<<62)
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
}

// size reads "10GB" or "512MiB" into bytes; "" gives def and 0 means no limit.
func (r *reader) size(text, path string, def, least int64) int64 {
	text = r.expand(text, path)
	switch text {
	case "":
		return def
	case "0":
		return 0
	}
	for _, u := range sizeUnits {
		n, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
		if err != nil || v < 0 || v*u.bytes >= 1<<62 {
			break
		}
		if int64(v*u.bytes) < least {
			r.add(path, "%s: %s is too small, the least is %d MiB", path, text, least>>20)
		}
		return int64(v * u.bytes)
	}
	r.add(path, "%s: %q is no size; write a number and a unit, such as 10GB or 512MiB, or 0 for no limit", path, text)
	return def
}

// positive reads a number above zero; "" gives nil, which is not known.
func (r *reader) positive(text, path string) *float64 {
	text = r.expand(text, path)
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || v > 1e12 {
		r.add(path, "%s: %q is not a number above 0", path, text)
		return nil
	}
	return &v
}

// local makes a path of the file relative to the file's own folder, so that the
// service reads the same thing wherever it is started.
func (r *reader) local(text, path string) string {
	text = r.expand(text, path)
	if text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(filepath.Dir(r.file), text)
}
