package web

import (
	"testing"
	"time"

	"stallbook/store"
)

func TestGaugePutsTheThresholdInTheMiddle(t *testing.T) {
	num := func(o, thr float64, cmp string, v store.Verdict) store.Evidence {
		return store.Evidence{Observed: &o, Threshold: &thr, Compare: cmp, Verdict: v}
	}
	for _, c := range []struct {
		name string
		e    store.Evidence
		pos  float64
	}{
		{"at the threshold", num(10, 10, "≥", store.Yes), 50},
		{"eight times over", num(80, 10, "≥", store.Yes), 100},
		{"far over", num(8000, 10, "≥", store.Yes), 100},
		{"an eighth", num(1.25, 10, "≥", store.No), 0},
		{"a lower limit, half of it", num(5, 10, "≤", store.Yes), 66.667},
		{"a lower limit, twice", num(20, 10, "≤", store.No), 33.333},
		{"nothing of what must be", num(0, 10, "≥", store.No), 0},
		{"zero against zero", num(0, 0, "≤", store.Yes), 75},
		{"a fact that holds", store.Evidence{Text: "try", ThreshTxt: "off", Compare: "is not", Verdict: store.Yes}, 75},
		{"a fact that does not", store.Evidence{Text: "off", ThreshTxt: "off", Compare: "is not", Verdict: store.No}, 25},
	} {
		g := gaugeOf(c.e)
		if !g.Known || g.Holds != (c.e.Verdict == store.Yes) || g.Pos < c.pos-0.01 || g.Pos > c.pos+0.01 {
			t.Errorf("%s: %+v, want %v", c.name, g, c.pos)
		}
	}
	if g := gaugeOf(store.Evidence{Threshold: ptr(1)}); g.Known {
		t.Error("an unknown value has a place on the gauge")
	}
}

func TestClauseView(t *testing.T) {
	at := noon.Add(-20 * time.Second)
	e := store.Evidence{Clause: "c", Signal: "disk.read_iops", Instance: "orders-2", Observed: ptr(492), Compare: "≥", Threshold: ptr(475),
		Default: ptr(450), Usual: ptr(12), Unit: "/s", WindowS: 30, Stat: "min", Verdict: store.Yes, At: &at}
	c := clauseView(e, clauseContext{ref: primary, judged: noon})
	if c.Detail != tied("disk.read_iops, on orders-2, lowest of 30 s, usual 12 /s, at 11:59:40") {
		t.Error(c.Detail)
	}
	if c.Threshold != "≥ 475 /s" || c.Override != "set for this cluster, library 450 /s" || c.Word != "Yes" {
		t.Errorf("%+v", c)
	}
	if c := clauseView(e, clauseContext{ref: standby, judged: at}); c.Detail != tied("disk.read_iops, lowest of 30 s, usual 12 /s") {
		t.Errorf("what the page says already is repeated: %s", c.Detail)
	}
	unknown := clauseView(store.Evidence{Verdict: store.Unknown, Compare: "≥", Threshold: ptr(1), Unit: "sessions", Why: "GRANT pg_monitor TO stallbook"}, clauseContext{})
	if unknown.Observed.Num != "" || unknown.Observed.Why == "" || unknown.Threshold != "≥ 1" || unknown.Verdict != "unknown" {
		t.Errorf("%+v", unknown)
	}
}

func TestHoldsCountsTheSeenFormOnly(t *testing.T) {
	list := []store.Evidence{
		{Group: store.GroupAll, Verdict: store.Yes}, {Group: store.GroupForm, Form: "a", Verdict: store.Yes},
		{Group: store.GroupForm, Form: "b", Verdict: store.No}, {Group: store.GroupNone, Verdict: store.No}, {Group: store.GroupEscalate, Verdict: store.Yes},
	}
	if hold, needed := holds(list, "a"); hold != 2 || needed != 2 {
		t.Errorf("%d of %d", hold, needed)
	}
}

func TestNearness(t *testing.T) {
	if nearness(store.Diagnosis{Verdict: store.Matched, Distance: 0.4}) <= 90 {
		t.Error("a match stands before the mark")
	}
	if n := nearness(store.Diagnosis{Verdict: store.NoMatch}); n >= 90 {
		t.Errorf("ruled out at distance 0 stands at %v, beyond the mark", n)
	}
}

func TestTableOfPrefersTheClauseThatHolds(t *testing.T) {
	list := []store.Evidence{
		{Signal: "pg.vacuum.running", Label: "public.a", Verdict: store.No},
		{Signal: "disk.iops", Label: "nvme0", Verdict: store.Yes},
		{Signal: "pg.vacuum.passes", Label: "public.b", Verdict: store.Yes},
	}
	if got := tableOf(list); got != "public.b" {
		t.Error(got)
	}
}

func TestTied(t *testing.T) {
	for in, want := range map[string]string{
		"p50 rose from 4.4 ms to 1,173 ms.": "p50 rose from 4.4\u00a0ms to 1,173\u00a0ms.",
		"500 /s, 65 %, 2 sessions":          "500\u00a0/s, 65\u00a0%, 2 sessions",
	} {
		if got := tied(in); got != want {
			t.Errorf("%q", got)
		}
	}
}
