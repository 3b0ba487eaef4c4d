package postgres

import (
	"errors"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	cases := []struct {
		name    string
		banner  Banner
		major   int
		version string
		refused string // part of the sentence
		note    string // part of the note
	}{
		{"plain 17", Banner{"170010", "17.10", "PostgreSQL 17.10 on x86_64-pc-linux-gnu, compiled by gcc"}, 17, "17.10", "", ""},
		{"EDB 9.6", Banner{"", "9.6.5.10", "EnterpriseDB 9.6.5.10 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 4.4.7"}, 0, "", "EDB Postgres 9.6 is too old", ""},
		{"EDB 16", Banner{"160004", "16.4.1 (EnterpriseDB Advanced Server 16.4.1)", "PostgreSQL 16.4 (EnterpriseDB Advanced Server 16.4.1) on x86_64"}, 16, "16.4", "", ""},
		{"10 on Windows", Banner{"100000", "10.0", "PostgreSQL 10.0, compiled by Visual C++ build 1800, 64-bit"}, 0, "", "PostgreSQL 10.0 is too old", ""},
		{"9.5 on Windows", Banner{"90504", "9.5.4", "PostgreSQL 9.5.4, compiled by Visual C++ build 1800, 64-bit"}, 0, "", "PostgreSQL 9.5 is too old", ""},
		{"TDE", Banner{"", "12.3_TDE_1.0", ""}, 0, "", "12.3 is too old", ""},
		{"TDE 16", Banner{"", "16.3_TDE_1.0", ""}, 16, "16.3", "", ""},
		{"RDS extended support", Banner{"110022", "11.22-rds.20241121", ""}, 0, "", "11.22 is too old", ""},
		{"two parts", Banner{"", "10.14", ""}, 0, "", "10.14 is too old", ""},
		{"Yugabyte", Banner{"110002", "11.2-YB-2.15.1.0-b0", "PostgreSQL 11.2-YB-2.15.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang"}, 0, "", "YugabyteDB", ""},
		{"Cockroach", Banner{"90500", "9.5.0", "CockroachDB CCL v2.2.0-alpha.20190211 (x86_64-unknown-linux-gnu)"}, 0, "", "CockroachDB", ""},
		{"Readyset", Banner{"130004", "13.4 (Readyset)", "PostgreSQL 13.4"}, 0, "", "Readyset", ""},
		{"Greenplum's base", Banner{"80323", "8.3.23", "PostgreSQL 8.3.23"}, 0, "", "8.3 is too old", ""},
		{"Redshift", Banner{"80002", "8.0.2", "PostgreSQL 8.0.2 on i686-pc-linux-gnu ... Redshift 1.0.12103"}, 0, "", "Redshift", ""},
		{"Debian's suffix", Banner{"160004", "16.4 (Debian 16.4-1.pgdg120+1)", "PostgreSQL 16.4 (Debian 16.4-1.pgdg120+1) on x86_64"}, 16, "16.4", "", ""},
		{"Percona's suffix", Banner{"", "17.6 - Percona Server for PostgreSQL 17.6.1", ""}, 17, "17.6", "", ""},
		{"Aurora", Banner{"140009", "14.9", "PostgreSQL 14.9 on aarch64-unknown-linux-gnu (Aurora)"}, 14, "14.9", "", ""},
		{"beta", Banner{"180000", "18beta3", "PostgreSQL 18beta3 on x86_64"}, 18, "18beta3", "", ""},
		{"devel", Banner{"190000", "19devel", "PostgreSQL 19devel on x86_64"}, 19, "19devel", "", "newer than the versions"},
		{"13", Banner{"130001", "13.1", "PostgreSQL 13.1"}, 13, "13.1", "", "13 is out of support"},
		{"silence", Banner{}, 0, "", "does not say which version", ""},
		{"pgbouncer's console", Banner{"", "1.22.0/bouncer", ""}, 0, "", "connection pooler", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			id, err := Identify(c.banner)
			var refusal *Refusal
			switch {
			case c.refused == "" && err != nil:
				t.Fatalf("refused: %v", err)
			case c.refused != "" && !errors.As(err, &refusal):
				t.Fatalf("got %+v, %v; want a refusal", id, err)
			case c.refused != "" && !strings.Contains(refusal.Sentence, c.refused):
				t.Fatalf("sentence %q lacks %q", refusal.Sentence, c.refused)
			case c.refused != "":
				return
			}
			if id.Major != c.major || id.Version != c.version || !strings.Contains(id.Note, c.note) || c.note == "" && id.Note != "" {
				t.Errorf("got %+v, want %d, %q, note %q", id, c.major, c.version, c.note)
			}
		})
	}
}
