package signature

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

const atOnceText = `
version: 1
role: any
severity: stall
summary: {default: "x", unmeasured: "nobody measures"}
when:
  all:
    - {id: slow, says: slow, signal: latency.p50_ms, over: 15s, stat: max, above: 50, if_unknown: degraded}
    - id: at-once
      says: at once
      seconds: {all: [slow], any: [[full]], slack: 1s, decisive: {clause: slow, above: 500}}
      over: 15s
      above: 2
  any:
    - {form: limit, all: [{id: full, says: full, signal: disk.queue, over: 15s, stat: max, above: 10}]}
`

func TestSecondsAtOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		p50, queue []float64 // second by second; negative = no reading
		want       store.MatchVerdict
		severity   store.Severity
		seconds    float64
	}{
		"two seconds":          {[]float64{60, 60, 1, 1}, []float64{20, 20, 1, 1}, store.Matched, store.Stall, 2},
		"one second":           {[]float64{60, 1, 1, 1}, []float64{20, 1, 1, 1}, store.NoMatch, store.Stall, 1},
		"one decisive second":  {[]float64{600, 1, 1, 1}, []float64{20, 1, 1, 1}, store.Matched, store.Stall, 2},
		"a second late":        {[]float64{1, 60, 60, 1}, []float64{20, 20, 1, 1}, store.Matched, store.Stall, 2},
		"far apart":            {[]float64{600, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 20}, store.NoMatch, store.Stall, 0},
		"not measured, 2 s":    {[]float64{-1, -1, -1}, []float64{20, 20, 1}, store.Matched, store.Degraded, 2},
		"not measured, 1 s":    {[]float64{-1, -1, -1}, []float64{1, 20, 1}, store.NoMatch, store.Degraded, 1},
		"disk is not measured": {[]float64{60, 60}, []float64{-1, -1}, store.NoMatch, store.Stall, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := compile(t, atOnceText)
			w := store.NewWindow(nil)
			for i := range tc.p50 {
				vals := map[string]float64{"pg.active": 1}
				if tc.p50[i] >= 0 {
					vals["latency.p50_ms"] = tc.p50[i]
				}
				if tc.queue[i] >= 0 {
					vals["disk.queue"] = tc.queue[i]
				}
				feed(w, ref, store.RolePrimary, i, i+1, vals, nil)
			}
			d := judgeAt(t, s, w, ref, len(tc.p50)-1, Options{})
			if d.Verdict != tc.want || d.Severity != tc.severity {
				t.Errorf("%s %s, want %s %s", d.Verdict, d.Severity, tc.want, tc.severity)
			}
			if e := d.Clauses[1]; e.Observed == nil || *e.Observed != tc.seconds {
				t.Errorf("seconds %v, want %v", e.Observed, tc.seconds)
			}
			if tc.severity == store.Degraded && d.Summary != "nobody measures" {
				t.Errorf("summary %q", d.Summary)
			}
		})
	}
}

// An estimate of latency may raise an alarm and must not give an all-clear.
func TestEstimateProvesNoCalm(t *testing.T) {
	s := compile(t, head+`    - {id: c, says: slow, signal: latency.p50_ms, over: 5s, stat: max, above: 100, if_unknown: degraded}
    - {id: d, says: busy, signal: pg.active, over: 5s, above: 5}
`)
	facts := map[string]string{"latency.from": "estimate from pg_stat_statements"}
	w := store.NewWindow(nil)
	feed(w, ref, store.RolePrimary, 0, 2, map[string]float64{"pg.active": 9, "latency.p50_ms": 0.03}, facts)
	d := judgeAt(t, s, w, ref, 1, Options{})
	if d.Verdict != store.Matched || d.Severity != store.Degraded || d.Clauses[0].Verdict != store.Unknown || !strings.Contains(d.Clauses[0].Why, "estimated") {
		t.Errorf("%s %s, clause %s: %s", d.Verdict, d.Severity, d.Clauses[0].Verdict, d.Clauses[0].Why)
	}
	feed(w, ref, store.RolePrimary, 2, 3, map[string]float64{"pg.active": 9, "latency.p50_ms": 300}, facts)
	if d := judgeAt(t, s, w, ref, 2, Options{}); d.Verdict != store.Matched || d.Severity != store.Stall {
		t.Errorf("slow by the estimate: %s %s", d.Verdict, d.Severity)
	}
}

func TestLabelsThatCount(t *testing.T) {
	s := compile(t, head+`    - id: c
      says: a pass on {label}
      signal: pg.vacuum.witness
      over: 5s
      stat: max
      above: 1
      label_not: [pg_catalog.]
      label_is: {signal: pg.table.kib, above: 1000}
`)
	running, passes, size := store.MustLookup("pg.vacuum.running"), store.MustLookup("pg.vacuum.passes"), store.MustLookup("pg.table.kib")
	vacuum := func(w *store.Window, table string) {
		w.Push(store.Batch{Ref: ref, Source: "postgres", At: t0, Elapsed: time.Second, Role: store.RolePrimary,
			Samples: []store.Sample{{Signal: running}, {Signal: passes}, {Signal: running, Label: table, N: 1}}})
	}
	sizes := func(w *store.Window) {
		w.Push(store.Batch{Ref: ref, Source: "postgres", At: t0.Add(-5 * time.Second), Samples: []store.Sample{{Signal: size, Label: "public.big", N: 5000}, {Signal: size, Label: "public.small", N: 8}}})
	}
	for table, want := range map[string][2]store.MatchVerdict{ // without sizes, with sizes
		"public.big":              {store.Matched, store.Matched},
		"public.small":            {store.Matched, store.NoMatch},
		"public.not_listed":       {store.Matched, store.NoMatch},
		"pg_catalog.pg_statistic": {store.NoMatch, store.NoMatch},
	} {
		for i, sized := range []bool{false, true} {
			w := store.NewWindow(nil)
			if sized {
				sizes(w)
			}
			vacuum(w, table)
			if d := judgeAt(t, s, w, ref, 0, Options{}); d.Verdict != want[i] {
				t.Errorf("%s, sizes known %v: %s, want %s", table, sized, d.Verdict, want[i])
			}
		}
	}
}

// Sources of five seconds give one reading to a window of five.
func TestSlowSourceIsEnough(t *testing.T) {
	s := compile(t, clauseText("signal: latency.p50_ms\nover: 5s\nstat: p50\npoints: 3\nabove: 100"))
	w := store.NewWindow(nil)
	for sec := 0; sec <= 20; sec += 5 {
		feed(w, ref, store.RolePrimary, sec, sec+1, map[string]float64{"latency.p50_ms": 900}, nil)
	}
	if d := judgeAt(t, s, w, ref, 22, Options{}); d.Verdict != store.Matched {
		t.Errorf("one reading every 5 s: %s, %s", d.Verdict, d.Clauses[0].Why)
	}
}

func TestReferencesNameTheirClauses(t *testing.T) {
	for old, want := range map[string][2]string{
		"all: [slow]":              {"all: [slwo]", `no clause has the id "slwo"`},
		"clause: slow, above: 500": {"clause: slow", "decisive needs above"},
	} {
		_, err := Compile("x/signature.yaml", []byte(strings.Replace(atOnceText, old, want[0], 1)))
		if err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: %v", want[0], err)
		}
	}
}
