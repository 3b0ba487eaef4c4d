package postgres

import (
	"testing"
	"time"

	"stallbook/store"
)

func at(sec int64) *time.Time { t := time.Unix(sec, 0); return &t }

func num(n int64) *int64 { return &n }

func TestResetDropsTheInterval(t *testing.T) {
	cases := map[string]struct {
		prev, cur  databaseRow
		tps, event bool
	}{
		"plain":                         {databaseRow{num(110), 1, at(1)}, databaseRow{num(138), 1, at(1)}, true, false},
		"reset, yet larger than before": {databaseRow{num(110), 1, at(1)}, databaseRow{num(138), 1, at(2)}, false, true},
		"first reset ever":              {databaseRow{num(110), 0, nil}, databaseRow{num(138), 1, at(2)}, false, true},
		"fell without a date":           {databaseRow{num(110), 0, nil}, databaseRow{num(3), 0, nil}, false, true},
		"never reset":                   {databaseRow{num(110), 0, nil}, databaseRow{num(110), 0, nil}, true, false},
		"unknown":                       {databaseRow{nil, 0, nil}, databaseRow{num(3), 0, nil}, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b store.Batch
			e := &emitter{b: &b, major: 17,
				prev: &reading{instance: &instanceRow{}, database: &c.prev},
				cur:  &reading{instance: &instanceRow{}, database: &c.cur}}
			e.rates()
			if got := signals(b)["pg.tps"]; got != c.tps {
				t.Errorf("rate %v, want %v", got, c.tps)
			}
			if got := len(events(b, "reset")) > 0; got != c.event {
				t.Errorf("event %v, want %v", got, c.event)
			}
		})
	}
}

func TestOneCounterThatFellDropsItsFamily(t *testing.T) {
	var b store.Batch
	e := &emitter{b: &b, major: 17,
		prev: &reading{instance: &instanceRow{Written: num(500)}, wal: &walRow{FPI: num(10), BuffersFull: num(7)}},
		cur:  &reading{instance: &instanceRow{Written: num(400)}, wal: &walRow{FPI: num(20), BuffersFull: num(1)}}}
	e.rates()
	if len(b.Samples) > 0 {
		t.Errorf("samples %v across a counter and a position that fell", b.Samples)
	}
}

func TestClockShift(t *testing.T) {
	start := time.Now()
	later := func(d time.Duration) time.Time { return start.Add(d) }
	for name, c := range map[string]struct {
		dbNow, ourNow time.Time
		took, want    time.Duration
	}{
		"in step":                   {later(time.Second), later(time.Second), 0, 0},
		"set back two hours":        {later(time.Second - 2*time.Hour), later(time.Second), 0, -2 * time.Hour},
		"a minute frozen":           {later(61 * time.Second), later(61 * time.Second), 0, 0},
		"slow answer":               {later(3500 * time.Millisecond), later(time.Second), 2 * time.Second, 0},
		"forward by three seconds ": {later(4 * time.Second), later(time.Second), 0, 3 * time.Second},
	} {
		if got := clockShift(start, c.dbNow, start, c.ourNow, c.took); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestNamesFromWorkersQueries(t *testing.T) {
	for query, want := range map[string]string{
		"autovacuum: VACUUM public.usage_events":                             "public.usage_events",
		"autovacuum: VACUUM ANALYZE public.t (to prevent wraparound)":        "public.t",
		"autovacuum: VACUUM My Schema.Big":                                   `"My Schema"."Big"`,
		"autovacuum: VACUUM public.a.b (to prevent wraparound)":              "public.a.b",
		"autovacuum: ANALYZE public.t":                                       "",
		"VACUUM t":                                                           "",
		"autovacuum: VACUUM public.line\nbreak":                              "public.\"line\nbreak\"",
		"autovacuum: VACUUM pg_toast.pg_toast_16384 (to prevent wraparound)": "pg_toast.pg_toast_16384",
	} {
		if got := nameFromQuery(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestPlatformOf(t *testing.T) {
	for want, traces := range map[string][]trace{
		"plain":    {{"setting", "pg"}, {"socket", "/var/run/postgresql"}},
		"aurora":   {{"setting", "rds"}, {"setting", "apg"}, {"role", "rdsadmin"}},
		"rds":      {{"setting", "rds"}, {"role", "rdsadmin"}},
		"cloudsql": {{"role", "cloudsqlsuperuser"}},
		"azure":    {{"setting", "azure"}},
		"cnpg":     {{"socket", "/controller/run"}},
	} {
		if got := platformOf(traces); got != want {
			t.Errorf("%v: %s, want %s", traces, got, want)
		}
	}
}

func TestChooseDatabases(t *testing.T) {
	found := []databaseEntry{{"app", true, true}, {"closed", false, true}, {"postgres", true, true}, {"rdsadmin", true, false}, {"Secret", true, false}}
	own := rights{Role: "mon", Database: "postgres"}
	visit, notes := choose([]string{AllDatabases}, found, own)
	if len(visit) != 1 || visit[0] != "app" || len(notes) != 2 {
		t.Errorf("all: visit %q, notes %q", visit, notes)
	}
	if notes[1] != `the tables of database Secret are hidden: GRANT CONNECT ON DATABASE "Secret" TO mon;` {
		t.Errorf("note %q", notes[1])
	}
	visit, notes = choose([]string{"app", "gone"}, found, own)
	if len(visit) != 1 || len(notes) != 1 {
		t.Errorf("named: visit %q, notes %q", visit, notes)
	}
}
