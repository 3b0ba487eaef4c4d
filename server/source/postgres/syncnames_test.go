package postgres

import "testing"

func TestRequiredStandbys(t *testing.T) {
	for names, want := range map[string]int64{
		``:                               0,
		`   `:                            0,
		`*`:                              1,
		`s1`:                             1,
		`s1, s2`:                         1,
		`"s 1"`:                          1,
		`FIRST 2 (s1, s2, s3)`:           2,
		`first 1 (*)`:                    1,
		`ANY 2 (s1,s2,s3)`:               2,
		`any 3(a,b,c)`:                   3,
		`2 (s1, s2)`:                     2,
		`2(s1,s2)`:                       2,
		`first`:                          1,
		`any, s2`:                        1,
		`"FIRST" , "2"`:                  1,
		"ANY\n2\n(\"o'k\", \"two (2)\")": 2,
		`"unfinished`:                    1,
		`""`:                             1,
	} {
		if got := requiredStandbys(names); got != want {
			t.Errorf("%q: %d, want %d", names, got, want)
		}
	}
}
