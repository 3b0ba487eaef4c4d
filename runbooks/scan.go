package runbooks

import (
	"fmt"
	"strings"
)

// token is a word, in lower case unless it was quoted, or one character.
type token struct {
	text   string
	quoted bool
}

// scan splits SQL into words and characters and leaves out comments and
// constants. It knows just enough of the language for that.
func scan(sql string) ([]token, error) {
	var out []token
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := sql[i]; {
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return out, nil
			}
			i += end
		case strings.HasPrefix(rest, "/*"):
			n, ok := comment(rest)
			if !ok {
				return nil, fmt.Errorf("a comment is not closed")
			}
			i += n
		case c == '\'' || c == '"':
			n, ok := quoted(rest, c, c == '\'' && escapes(out, sql, i))
			if !ok {
				return nil, fmt.Errorf("a %c is not closed", c)
			}
			if c == '"' {
				out = append(out, token{strings.ReplaceAll(rest[1:n-1], `""`, `"`), true})
			} else {
				out = append(out, token{"''", true})
			}
			i += n
		case c == '$' && dollar(rest) != "":
			tag := dollar(rest)
			end := strings.Index(rest[len(tag):], tag)
			if end < 0 {
				return nil, fmt.Errorf("a %s is not closed", tag)
			}
			out = append(out, token{"''", true})
			i += end + 2*len(tag)
		case c == '\\':
			return nil, fmt.Errorf(`a \ command is for psql; a check is plain SQL`)
		case c == ':' && len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"'):
			return nil, fmt.Errorf("a psql variable (:%c) does not run here; take the table from current_setting('stallbook.table', true)", rest[1])
		case wordByte(c):
			n := 1
			for n < len(rest) && (wordByte(rest[n]) || rest[n] == '$') {
				n++
			}
			out = append(out, token{strings.ToLower(rest[:n]), false})
			i += n
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		default:
			out = append(out, token{string(c), false})
			i++
		}
	}
	return out, nil
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// comment returns the length of a /* comment */, which may hold others.
func comment(s string) (int, bool) {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// escapes reports whether the constant at i is of the form E'…'.
func escapes(out []token, sql string, i int) bool {
	return i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e') && len(out) > 0 && out[len(out)-1].text == "e"
}

func quoted(s string, q byte, backslash bool) (int, bool) {
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] == q && i+1 < len(s) && s[i+1] == q:
			i++
		case s[i] == q:
			return i + 1, true
		}
	}
	return 0, false
}

// dollar returns the $tag$ that s begins with, or "".
func dollar(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '$' {
			return s[:i+1]
		}
		if !wordByte(s[i]) || i == 1 && s[i] >= '0' && s[i] <= '9' {
			return ""
		}
	}
	return ""
}
