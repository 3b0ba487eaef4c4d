package config

import (
	"os"
	"regexp"
	"strings"
)

// reference is ${NAME}; $${NAME} stands for the text ${NAME} itself.
var reference = regexp.MustCompile(`\$?\$\{([^}]*)\}?`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand puts in what ${NAME} stands for. It works on a value after the YAML is
// read, so nothing in a variable can change the file's structure. Messages name
// the variable, never its content.
func (r *reader) expand(text, path string) string {
	return reference.ReplaceAllStringFunc(text, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		name := strings.TrimSuffix(strings.TrimPrefix(m, "${"), "}")
		if !strings.HasSuffix(m, "}") || !variableName.MatchString(name) {
			r.add(path, "%s: a reference is written ${NAME}, with letters, digits and _ in the name", path)
			return ""
		}
		v, ok := r.env(name)
		if !ok {
			r.add(path, "%s: the environment variable %s is not set", path, name)
		}
		return v
	})
}

// secret expands text and, when all of it is a file:// URL, reads the secret
// from that file. One line break at the end of the file is not part of it.
func (r *reader) secret(text, path string) string {
	before := len(r.found)
	text = r.expand(text, path)
	name, isFile := strings.CutPrefix(text, "file://")
	if len(r.found) > before || !isFile {
		return text
	}
	if !strings.HasPrefix(name, "/") {
		r.add(path, "%s: a secret file is written file:///absolute/path", path)
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		r.add(path, "%s: the secret file can't be read: %v", path, err)
		return ""
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		r.add(path, "%s: the secret file %s is empty", path, name)
	}
	return value
}
