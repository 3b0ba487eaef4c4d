package postgres

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The versions this package was tested with, and the oldest it tries.
const (
	oldestMajor = 13
	newestMajor = 18
)

// Banner is what a server says about itself.
type Banner struct {
	Num           string // server_version_num, "" when it has none
	ServerVersion string // the parameter server_version
	Version       string // version()
}

// Identity is what a Banner means.
type Identity struct {
	Major   int
	Version string // "17.10", as the server writes it, without the packager's suffix
	Product string // "PostgreSQL" or the fork's name
	Note    string // "" or why to read on with care: an untested version
}

// Refusal is an error about a server that can't be monitored; its text is one
// sentence for a person.
type Refusal struct{ Sentence string }

func (r *Refusal) Error() string { return r.Sentence }

// foreign are the products that speak PostgreSQL's protocol and have other
// insides: what the signatures read does not exist there, or means another thing.
var foreign = []struct{ mark, name, why string }{
	{"cockroachdb", "CockroachDB", "its storage, WAL and vacuum are not PostgreSQL's"},
	{"-yb-", "YugabyteDB", "its storage and replication are not PostgreSQL's"},
	{"redshift", "Amazon Redshift", "its storage and vacuum are not PostgreSQL's"},
	{"greenplum", "Greenplum", "its segments are other servers than the one that answers"},
	{"readyset", "Readyset", "it is a cache in front of a database; give the address of PostgreSQL itself"},
	{"bouncer", "PgBouncer", "it is a connection pooler; give the address and port of PostgreSQL itself"},
	{"materialize", "Materialize", "its storage is not PostgreSQL's"},
	{"risingwave", "RisingWave", "its storage is not PostgreSQL's"},
	{"questdb", "QuestDB", "its storage is not PostgreSQL's"},
	{"cratedb", "CrateDB", "its storage is not PostgreSQL's"},
	{"opengauss", "openGauss", "its storage and WAL differ from PostgreSQL's"},
}

var leadingVersion = regexp.MustCompile(`^\D*?(\d+)(?:\.(\d+))?`)

// Identify decides which server this is: the product from its words, the
// version from server_version_num first. A server that can't be monitored gives
// a *Refusal.
func Identify(b Banner) (Identity, error) {
	words := strings.ToLower(b.Version + " " + b.ServerVersion)
	for _, f := range foreign {
		if strings.Contains(words, f.mark) {
			return Identity{}, &Refusal{fmt.Sprintf("this is %s, not PostgreSQL: %s", f.name, f.why)}
		}
	}
	id := Identity{Product: "PostgreSQL"}
	if strings.Contains(words, "enterprisedb") {
		id.Product = "EDB Postgres"
	}
	id.Major, id.Version = versionOf(b)
	switch {
	case id.Major == 0:
		return Identity{}, &Refusal{fmt.Sprintf("the server does not say which version it is (it says %q), so that no query can be chosen for it", clip(strings.TrimSpace(b.Version+" "+b.ServerVersion), 80))}
	case id.Major < oldestMajor:
		return Identity{}, &Refusal{fmt.Sprintf("%s %s is too old: stallbook needs %d or later", id.Product, id.Version, oldestMajor)}
	case id.Major > newestMajor:
		id.Note = fmt.Sprintf("PostgreSQL %d is newer than the versions stallbook was tested with (14 to %d): what it shows should be right, but nobody has checked", id.Major, newestMajor)
	case id.Major == oldestMajor:
		id.Note = "PostgreSQL 13 is out of support and not tested: WAL statistics and some columns are missing there"
	}
	return id, nil
}

// versionOf reads the number first; texts come with every kind of suffix.
func versionOf(b Banner) (major int, version string) {
	if n, err := strconv.Atoi(strings.TrimSpace(b.Num)); err == nil && n >= 80000 {
		if n < 100000 {
			return n / 10000, fmt.Sprintf("%d.%d", n/10000, n/100%100)
		}
		if pre := prerelease.FindString(b.ServerVersion); n%10000 == 0 && pre != "" {
			return n / 10000, pre
		}
		return n / 10000, fmt.Sprintf("%d.%d", n/10000, n%10000)
	}
	for _, text := range []string{b.ServerVersion, b.Version} {
		if m := leadingVersion.FindStringSubmatch(text); m != nil {
			major, _ := strconv.Atoi(m[1])
			if m[2] == "" {
				return major, m[1]
			}
			return major, m[1] + "." + m[2]
		}
	}
	return 0, ""
}

var prerelease = regexp.MustCompile(`^\d+(devel|beta\d+|rc\d+)`)

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
