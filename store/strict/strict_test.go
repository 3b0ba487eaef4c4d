package strict

import (
	"strings"
	"testing"
	"time"
)

type inner struct {
	Above float64 `yaml:"above"`
}

type outer struct {
	Name  string           `yaml:"name"`
	Items []inner          `yaml:"items"`
	By    map[string]inner `yaml:"by"`
	inner `yaml:",inline"`
	Wait  time.Duration `yaml:"wait"`
}

func TestDecodeNamesEveryProblem(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"unknown keys": {"nmae: a\nitems:\n  - abov: 1\n", []string{`f:1: unknown key "nmae"; did you mean "name"?`, `f:3: unknown key "items[0].abov"; did you mean "above"?`}},
		"far key":      {"zzzzzz: 1\n", []string{"valid here: "}},
		"twice":        {"name: a\nname: b\n", []string{"name"}},
		"shape":        {"items: 3\n", []string{"f:1: items must be a list"}},
		"leaf":         {"name: [a]\nabove: {b: 1}\n", []string{"f:1: name must be a single value", "f:2: above must be a single value"}},
		"in a map":     {"by:\n  x: {abvoe: 2}\n", []string{`f:2: unknown key "by.x.abvoe"`}},
		"type":         {"items:\n - above: high\n", []string{"f:2:"}},
		"empty":        {"", []string{"f:1: the file is empty"}},
		"syntax":       {"a: [1\n", []string{"f:"}},
	} {
		t.Run(name, func(t *testing.T) {
			var o outer
			err := Decode("f", []byte(tc.in), &o)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestDecodeGood(t *testing.T) {
	var o outer
	if err := Decode("f", []byte("name: a\nitems: [{above: 2}]\nabove: 3\nwait: 3s\n"), &o); err != nil {
		t.Fatal(err)
	}
	if o.Items[0].Above != 2 || o.Above != 3 || o.Wait != 3*time.Second {
		t.Errorf("got %+v", o)
	}
}
