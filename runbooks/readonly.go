package runbooks

import (
	"fmt"
	"slices"
	"strings"
)

// ReadOnly returns nil when sql is one statement that can only read: it begins
// with SELECT, WITH or SHOW, nothing follows its semicolon, and it calls no
// function that acts on the server. A read-only transaction refuses writes, but
// not a function that ends sessions or reloads the configuration; this does.
func ReadOnly(sql string) error {
	tokens, err := scan(sql)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(tokens, func(t token) bool { return t.text == ";" }); i >= 0 {
		if i < len(tokens)-1 {
			return fmt.Errorf("a second statement begins with %q; a check is one statement", tokens[i+1].text)
		}
		tokens = tokens[:i]
	}
	if len(tokens) == 0 {
		return fmt.Errorf("there is no statement")
	}
	if !slices.Contains([]string{"select", "with", "show"}, tokens[0].text) {
		return fmt.Errorf("it begins with %q; a check begins with SELECT, WITH or SHOW", tokens[0].text)
	}
	for i, t := range tokens {
		if _, ok := writes[t.text]; ok && !t.quoted {
			return fmt.Errorf("the word %s changes something; a check only reads", strings.ToUpper(t.text))
		}
		call := i+1 < len(tokens) && tokens[i+1].text == "("
		if call && acts(t.text) {
			return fmt.Errorf("the function %s acts on the server; a check only reads", t.text)
		}
	}
	return nil
}

var writes = wordSet("insert update delete merge into copy create drop alter truncate grant revoke vacuum analyze reindex cluster call do lock")

// actors are functions, or their beginnings, that a SELECT can do harm with.
var actors = strings.Fields(`
	pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_promote pg_switch_wal
	pg_create_ pg_drop_ pg_wal_replay_pause pg_wal_replay_resume pg_replication_slot_advance
	pg_replication_origin_ pg_logical_emit_message pg_logical_slot_ pg_stat_reset pg_stat_statements_reset
	pg_backup_ pg_start_backup pg_stop_backup pg_import_ pg_advisory_ pg_try_advisory_ pg_sleep pg_prewarm
	pg_log_backend_memory_contexts pg_stat_force_next_flush pg_restore_ pg_clear_ pg_sync_replication_slots
	set_config setval nextval lo_ dblink pg_read_ pg_file_ pg_ls_dir query_to_xml cursor_to_xml`)

func acts(name string) bool {
	return slices.ContainsFunc(actors, func(a string) bool {
		return name == a || strings.HasSuffix(a, "_") && strings.HasPrefix(name, a) || strings.HasPrefix(name, a+"_")
	})
}

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
