package postgres

import (
	"testing"
	"time"
)

// step is one poll: the runs in progress, the count (-1: not asked), and how
// many passes it must tell.
type step struct {
	running []run
	count   int64
	want    int64
}

func TestPassIsToldOnce(t *testing.T) {
	a, b := run{1, 7, "public.t"}, run{2, 7, "public.t"}
	none := []run(nil)
	cases := map[string][]step{
		"row vanishes and the count rises in one poll": {{none, 0, 0}, {[]run{a}, 0, 0}, {none, 1, 1}, {none, 1, 0}},
		"count follows later":                          {{none, 4, 0}, {[]run{a}, 4, 0}, {none, 4, 1}, {none, 5, 0}, {none, 5, 0}},
		"count rises before the row goes":              {{none, 4, 0}, {[]run{a}, 5, 1}, {none, 5, 0}},
		"too short to be seen in progress":             {{none, 4, 0}, {none, 5, 1}, {none, 5, 0}},
		"first sight is no pass":                       {{none, 4, 0}, {none, 4, 0}},
		"next worker at once":                          {{none, 4, 0}, {[]run{a}, 4, 0}, {[]run{b}, 5, 1}, {none, 6, 1}},
		"count reset":                                  {{none, 4, 0}, {none, 0, 0}, {none, 1, 1}},
		"called off, then a real pass much later":      {{none, 4, 0}, {[]run{a}, 4, 0}, {none, 4, 1}, {none, -60, 0}, {none, 5, 1}},
		"never counted (another database)":             {{[]run{a}, -1, 0}, {none, -1, 1}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			book := newPassBook()
			at := time.Unix(1e9, 0)
			for i, s := range steps {
				at = at.Add(time.Second)
				if s.count < -1 { // let time pass
					at = at.Add(time.Duration(-s.count) * time.Second)
					continue
				}
				got := book.progress(s.running, at, 10*time.Second)["public.t"]
				if s.count >= 0 {
					got += book.count("public.t", s.count, at)
				}
				if got != s.want {
					t.Errorf("poll %d tells %d passes, want %d", i, got, s.want)
				}
			}
		})
	}
}

func TestAskedTablesAreFewAndTheNewest(t *testing.T) {
	var asked askedTables
	if asked.arg() != nil {
		t.Error("no table known, yet one is asked")
	}
	start := time.Unix(1e9, 0)
	asked.largest = []int64{1, 2}
	for i := range int64(100) {
		asked.saw(100+i, start.Add(time.Duration(i)*time.Second))
	}
	got := string(asked.arg()[0])
	if want := "{1,2,199,198,"; got[:len(want)] != want {
		t.Errorf("asked %s, want it to begin with %s", got, want)
	}
	asked.saw(500, start.Add(time.Hour))
	if got := string(asked.arg()[0]); got != "{1,2,500}" {
		t.Errorf("asked %s after an hour, want {1,2,500}", got)
	}
}
