package postgres

import (
	"strconv"
	"strings"
)

// requiredStandbys reads synchronous_standby_names: how many standbys must
// acknowledge a commit. FIRST N and ANY N are N, a bare list is FIRST 1, the
// short form N (list) is FIRST N, nothing is 0.
func requiredStandbys(names string) int64 {
	word, rest := nextWord(names)
	if word.text == "" && !word.quoted {
		return 0
	}
	if word.quoted {
		return 1
	}
	if strings.EqualFold(word.text, "first") || strings.EqualFold(word.text, "any") {
		count, after := nextWord(rest)
		if n, ok := countBeforeList(count, after); ok {
			return n
		}
		return 1 // a standby may be named first
	}
	if n, ok := countBeforeList(word, rest); ok {
		return n
	}
	return 1
}

func countBeforeList(w word, rest string) (int64, bool) {
	n, err := strconv.ParseInt(w.text, 10, 32)
	return n, err == nil && !w.quoted && strings.HasPrefix(strings.TrimSpace(rest), "(")
}

type word struct {
	text   string
	quoted bool
}

// nextWord takes one name or number off the list; a name in double quotes is
// never a keyword.
func nextWord(s string) (w word, rest string) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, `"`) {
		if end := strings.Index(s[1:], `"`); end >= 0 {
			return word{s[1 : 1+end], true}, s[end+2:]
		}
		return word{s[1:], true}, ""
	}
	end := strings.IndexAny(s, " \t\n\r,(")
	if end < 0 {
		end = len(s)
	}
	return word{s[:end], false}, s[end:]
}
