package runbooks

import "testing"

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		"ALTER TABLE {{relation|ident}} RESET (x)": "ALTER TABLE <your table> RESET (x)",
		"SET x = {{setting.min_wal_size|literal}}": "SET x = <present value of min_wal_size>",
		"on {{standby}}, {{ table | text }}":       "on <standby>, <your table>",
		"nothing here":                             "nothing here",
	} {
		if got := Readable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
