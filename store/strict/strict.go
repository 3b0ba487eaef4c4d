// Package strict reads YAML files that people write: an unknown key, a wrong
// type or a repeated key is an error with file, line and the nearest valid key.
// All problems of a file are reported, not only the first.
package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stallbook/store"
)

// Problem is one thing wrong in a file.
type Problem struct {
	File    string
	Line    int
	Message string
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message) }

// Problems is an error that lists everything wrong in a file.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Decode reads one YAML document into out, a pointer to a struct. The error is
// Problems.
func Decode(file string, data []byte, out any) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return Problems{syntaxProblem(file, err)}
	}
	if len(doc.Content) == 0 {
		return Problems{{file, 1, "the file is empty"}}
	}
	c := checker{file: file}
	c.walk(doc.Content[0], reflect.TypeOf(out).Elem(), "")
	if len(c.found) > 0 {
		return c.found
	}
	if err := doc.Decode(out); err != nil {
		return Problems{syntaxProblem(file, err)}
	}
	return nil
}

// syntaxProblem takes the line out of yaml's own message.
func syntaxProblem(file string, err error) Problem {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	msg = strings.TrimPrefix(msg, "unmarshal errors:\n  ")
	line := 1
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, msg, _ = strings.Cut(msg, ": ")
	}
	return Problem{file, line, msg}
}

type checker struct {
	file  string
	found Problems
}

func (c *checker) add(line int, format string, args ...any) {
	c.found = append(c.found, Problem{c.file, line, fmt.Sprintf(format, args...)})
}

var (
	yamlUnmarshaler = reflect.TypeFor[yaml.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (c *checker) walk(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" || reflect.PointerTo(t).Implements(yamlUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler) {
		return // the type checks itself while decoding
	}
	switch t.Kind() {
	case reflect.Struct:
		c.object(n, t, path)
	case reflect.Map:
		if !c.kind(n, yaml.MappingNode, path, "keys and values") {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.walk(n.Content[i+1], t.Elem(), join(path, n.Content[i].Value))
		}
	case reflect.Slice:
		if !c.kind(n, yaml.SequenceNode, path, "a list") {
			return
		}
		for i, item := range n.Content {
			c.walk(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		c.kind(n, yaml.ScalarNode, path, "a single value")
	}
}

func (c *checker) object(n *yaml.Node, t reflect.Type, path string) {
	if !c.kind(n, yaml.MappingNode, path, "keys and values") {
		return
	}
	fields := map[string]reflect.Type{}
	collect(t, fields)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		ft, ok := fields[key.Value]
		switch {
		case !ok:
			c.add(key.Line, "%s", unknownKey(join(path, key.Value), key.Value, fields))
		case seen[key.Value]:
			c.add(key.Line, "%s is given twice", join(path, key.Value))
		default:
			c.walk(value, ft, join(path, key.Value))
		}
		seen[key.Value] = true
	}
}

// collect lists a struct's keys, those of inlined structs included.
func collect(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("yaml")
		name, rest, _ := strings.Cut(tag, ",")
		switch {
		case strings.Contains(rest, "inline"):
			collect(f.Type, into)
		case name == "-" || !f.IsExported():
		case name == "":
			into[strings.ToLower(f.Name)] = f.Type
		default:
			into[name] = f.Type
		}
	}
}

func unknownKey(path, key string, fields map[string]reflect.Type) string {
	names := make([]string, 0, len(fields))
	for n := range fields {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := store.Nearest(key, names); near != "" {
		return fmt.Sprintf("unknown key %q; did you mean %q?", path, near)
	}
	return fmt.Sprintf("unknown key %q; valid here: %s", path, strings.Join(names, ", "))
}

func (c *checker) kind(n *yaml.Node, want yaml.Kind, path, words string) bool {
	if n.Kind == want {
		return true
	}
	if path == "" {
		path = "the file"
	}
	c.add(n.Line, "%s must be %s", path, words)
	return false
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
