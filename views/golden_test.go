package views

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// update writes what is drawn into testdata; look at the difference before you
// commit it.
var update = flag.Bool("update", false, "rewrite testdata/*.html")

var (
	sampleSpark = Spark{Box: "0 0 240 40", Width: "240", Lines: []string{"M0 20L10 5"}, Dots: []string{"M50 9h0"}, Limit: "5.1",
		Shade: []Rect{{X: "120", Y: "0", W: "60", H: "40"}}, Tone: "hot"}
	sampleIncident = OpenIncident{ID: "41", State: State{"outage", "Outage"}, Tone: "outage", Where: "orders-2", Since: "02:56:32",
		Lasted: Age{Text: "32 s", Ms: "1796093792000", Bare: true}, Says: "orders takes no writes.", Href: "/incidents/41", PageHref: "/runbooks/recovery-prefetch",
		Facts:  []Fact{{"Page", "Replica pinned at its IOPS limit, 5 of 5 clauses", "/runbooks/recovery-prefetch"}, {"Muted", "load test", ""}},
		Traces: []Trace{{"Read I/Os", "orders-2, limit 500 /s dashed", Qty{Num: "500", Unit: "/s"}, "100 % of limit", sampleSpark}}, From: "02:55:28", To: "02:57:04"}
	sampleRow = FleetRow{ID: "row-orders--orders-2", Class: "bad", Name: "orders-2", Href: "/clusters/orders/orders-2", Role: "standby", State: State{"stall", "Stall"},
		P50: Qty{Why: "nobody measures requests here"}, IOPS: Qty{Num: "500", Unit: "/s", Loud: true}, Spark: sampleSpark, Limit: Qty{Num: "500"}, Age: Age{Text: "1 s", Ms: "1796093823000", Bare: true}}
)

func panelOf(h PanelHead, body templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return Panel(h).Render(templ.WithChildren(ctx, body), w)
	})
}

func cases() map[string]templ.Component {
	page := Page{Title: "Fleet", Nav: "fleet", Base: "/stallbook", Theme: "light", CSS: []string{"/stallbook/static/base.css?v=1"}, JS: []string{"/stallbook/static/live.js?v=1"},
		Incidents: "2", Clock: "02:57:04", NowMs: "1796093824000", Events: "/stallbook/events", History: &Notice{Says: "The disk is full: free some space.", Since: "02:50:00"},
		Demo: &DemoBar{Says: "Recorded stalls.", Action: "/stallbook/demo", Buttons: []DemoButton{{"outage", "Stop the standby", "Commits wait.", true}}}, Foot: "Numbers are from the last second.", Version: "1.0"}
	layout := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return Layout(page).Render(templ.WithChildren(ctx, Empty("Waiting for the first sample from orders-1.")), w)
	})
	return map[string]templ.Component{
		"layout": layout,
		"state": templ.Join(StateChip(State{"ok", "OK"}), StateChip(State{"outage", "Outage"}), StateChip(State{"nodata", "No data, 42 s"}), StateChip(State{"hydrating", "Hydrating 65 %"}),
			Mark("yes", "Yes"), Mark("unknown", "Unknown"), Mark("fail", "Fail")),
		"number": templ.Join(Number(Qty{Num: "1,173", Unit: "ms", Loud: true, Why: "usual 4.4 ms"}), Number(Qty{Why: "no source gives it"}), Number(Qty{}),
			AgeOf(Age{Text: "2 s ago", Ms: "1796093822000"}), AgeOf(Age{Text: "never"})),
		"evidence": Evidence("ev", []ClauseGroup{{Title: "A cause, alive or just ended", Clauses: []Clause{
			{ID: "p50-lift", Verdict: "yes", Word: "Yes", Says: "Requests are slower than usual", Detail: "latency.p50_ms", Observed: Qty{Num: "1,173", Unit: "ms"}, Threshold: "≥ 20 ms", Override: "library: 25 ms", Gauge: Gauge{Known: true, Pos: 100, Holds: true}},
			{ID: "loading", Verdict: "unknown", Word: "Unknown", Says: "The volume is still loading", Why: "no rds source", Threshold: "≥ 1", SeeLabel: "Volume still loading", SeeHref: "/runbooks/storage-hydration"},
			{ID: "size", Verdict: "no", Word: "No", Says: "I/Os are small", Observed: Qty{Num: "132", Unit: "KiB"}, Threshold: "≤ 16 KiB", Gauge: Gauge{Known: true, Pos: 12.5}},
		}}}),
		"pips": Pips([]Pip{{"yes", false, "Reads are pinned"}, {"no", false, "Replay is behind"}, {"unknown", true, "The volume is loading"}}),
		"step": StepCard(Step{ID: "pass", Number: "1", Kind: "check", Title: "Did a pass end?", On: "on events-1", SQL: "SELECT 1 < 2;", Specs: []Spec{{"Takes", "no lock", false}, {"Undo", "RESET ALL;", true}},
			Result: &StepResult{Kind: "pass", Word: "Pass", Says: "It did.", Who: "ada", Age: Age{Text: "90 s ago", Ms: "1796093734000"}, Took: "4 ms", Old: true, Columns: []string{"n"}, Rows: [][]string{{"<1>"}}, More: "first 50 rows"},
			Run:    &RunForm{Action: "/run", Label: "Run on events-1", Fields: []Field{{"instance", "events-1"}}}}),
		"panel":  panelOf(PanelHead{Title: "Sources", Scope: "orders", End: "2 s ago", ID: "sources", Class: "panel-act"}, Items([]Item{{ID: "s", Title: "postgres", Says: "Other sessions are hidden.", Code: "GRANT pg_monitor TO stallbook;", Aside: "1 s ago"}}, "")),
		"crumbs": templ.Join(Crumbs([]Crumb{{"Fleet", "/"}, {"orders", ""}}), Failure("Not found", "There is nothing here.", Crumb{"To the fleet", "/"})),
		"spark":  templ.Join(SparkLine(sampleSpark), SparkLine(Spark{})),
		"fleet": FleetPage(Fleet{Live: "/fragments/fleet", Cells: []Cell{{"stall", "orders-2", "Stall", "/clusters/orders/orders-2"}}, Says: []Part{{"1", true}, {" instance", false}},
			Open: []OpenIncident{sampleIncident}, More: []OpenIncident{sampleIncident}, Rows: []FleetRow{sampleRow}, Quiet: "None."}),
		"cluster": ClusterPage(Cluster{Crumbs: []Crumb{{"Fleet", "/"}, {"orders", ""}}, Live: "/fragments/clusters/orders", State: State{"ok", "OK"}, Says: "orders is ok.", Sync: "commits wait for no standby",
			Primary: &Node{Name: "orders-1", Href: "/1", State: State{"ok", "OK"}, Lines: []string{"primary"}}, Nodes: []Node{{Name: "orders-2", Href: "/2", State: State{"stall", "Stall"}, Broken: true}}, Rows: []FleetRow{sampleRow}, None: "None."}),
		"chart": Stacks(Stack{ID: "charts", Data: "/charts.json?range=5m", Range: "5m", Live: true, Diag: "/diagnosis?cluster=orders", FromMs: "1", ToMs: "2", Left: []Chart{{
			ID: "p50", Title: "Latency, p50", Scope: "requests", Unit: "ms", Label: "Latency, p50, highest 1,173 ms", Axis: true, Series: []Series{{Class: "c1", Lines: []string{"M0 50L10 2"}, Fills: []string{"M0 50L10 2L10 60z"}, Last: Qty{Num: "4.40"}}, {Name: "reads", Class: "c2"}},
			Ticks: []Tick{{"100%", "0"}}, Times: []Tick{{"50%", "02:30"}}, Limit: &Point{Y: "10%", Label: "limit 1,500 /s"}, Band: &Rect{Y: "90%", H: "2%"}, Windows: []Rect{{X: "50%", W: "2%"}}, Gaps: []Rect{{X: "10%", W: "5%"}},
			Events: []Point{{X: "50%", Y: "0%", Label: "promotion", Flip: true}}, Callout: &Point{X: "50%", Y: "4%", Label: "1,173 ms at 02:29:56"}}}}),
		"twin":     TwinTable(Twin{Says: "A row is 5 s.", Head: []string{"From", "p50, ms"}, Rows: [][]string{{"02:30:00", "4.40"}}}),
		"instance": InstanceLive(Instance{State: State{"ok", "OK"}, Now: "last stall 02:31:21", Says: "No stall.", Live: "/f", StallsNone: "None.", Unmeasured: []Unmeasured{{"Latency", "Add latency:."}}, Facts: []Fact{{"recovery_prefetch", "try", ""}}}),
	}
}

func TestGolden(t *testing.T) {
	for name, c := range cases() {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			if err := c.Render(context.Background(), &buf); err != nil {
				t.Fatal(err)
			}
			// A line for each tag, so that a difference is readable.
			got := strings.ReplaceAll(buf.String(), "><", ">\n<") + "\n"
			if bad := forbidden.FindString(got); bad != "" {
				t.Errorf("the content policy forbids %q", bad)
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; run go test ./views -update and look at the difference\n%s", file, firstDifference(got, string(want)))
			}
		})
	}
}

// forbidden: inline code and style, which a browser would not obey.
var forbidden = regexp.MustCompile(`\sstyle="|<style|<script>|\son[a-z]+="`)

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			other := "(nothing)"
			if i < len(w) {
				other = w[i]
			}
			return "got  " + g[i] + "\nwant " + other
		}
	}
	return "it ends too early"
}

// What came from a database is shown, never obeyed.
func TestTextIsEscaped(t *testing.T) {
	var buf bytes.Buffer
	evil := `"><script>alert(1)</script>`
	c := templ.Join(StateChip(State{"ok", evil}), Number(Qty{Why: evil}), Items([]Item{{ID: evil, Title: evil, Says: evil, Href: "javascript:alert(1)"}}, ""), ClauseRow("t", Clause{ID: evil, Says: evil}), SparkLine(Spark{Box: evil, Label: evil}))
	if err := c.Render(context.Background(), &buf); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(buf.String(), "<script>") || strings.Contains(buf.String(), "javascript:") {
		t.Errorf("not escaped: %s", buf.String())
	}
}

// Every symbol that is used is drawn, and every state has its own.
func TestSymbolsExist(t *testing.T) {
	var buf bytes.Buffer
	if err := symbols().Render(context.Background(), &buf); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, name := range []string{"ok", "degraded", "stall", "outage", "risk", "nodata", "hydrating", "yes", "no", "unknown", "pass", "fail"} {
		_, rest, ok := strings.Cut(buf.String(), `id="i-`+name+`"`)
		if !ok {
			t.Errorf("no symbol for %s", name)
			continue
		}
		shape, _, _ := strings.Cut(rest, "</symbol>")
		if other := seen[shape]; other != "" {
			t.Errorf("%s and %s have one shape", name, other)
		}
		seen[shape] = name
	}
}

func TestGlue(t *testing.T) {
	for in, want := range map[string]string{
		"p50 rose from 4.4 ms to 1,173 ms.": "p50 rose from 4.4\u00a0ms to 1,173\u00a0ms.",
		"500 /s, 65 % done":                 "500\u00a0/s, 65\u00a0% done",
		"2 segments, 5 of 6":                "2 segments, 5 of 6",
		"holds 60 MiB/s":                    "holds 60\u00a0MiB/s",
	} {
		if got := Glue(in); got != want {
			t.Errorf("Glue(%q) = %q", in, got)
		}
	}
}
