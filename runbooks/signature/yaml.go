package signature

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"stallbook/store"
)

// fileYAML is the shape of signature.yaml. CONTRIBUTING.md explains each key.
type fileYAML struct {
	Version  int               `yaml:"version"`
	Role     string            `yaml:"role"`
	Severity string            `yaml:"severity"`
	Hold     time.Duration     `yaml:"hold"`
	Release  time.Duration     `yaml:"release"`
	Explains []string          `yaml:"explains"`
	Fallback bool              `yaml:"fallback"`
	When     whenYAML          `yaml:"when"`
	Escalate []escalateYAML    `yaml:"escalate"`
	Summary  map[string]string `yaml:"summary"`
}

type whenYAML struct {
	All  []clauseYAML `yaml:"all"`
	Any  []formYAML   `yaml:"any"`
	None []clauseYAML `yaml:"none"`
}

type formYAML struct {
	Form     string       `yaml:"form"`
	Says     string       `yaml:"says"`
	Together bool         `yaml:"together"`
	Measured []string     `yaml:"measured"`
	All      []clauseYAML `yaml:"all"`
}

type escalateYAML struct {
	To  string       `yaml:"to"`
	All []clauseYAML `yaml:"all"`
}

type clauseYAML struct {
	ID         string         `yaml:"id"`
	Says       string         `yaml:"says"`
	Signal     string         `yaml:"signal"`
	Fact       string         `yaml:"fact"`
	Is         []string       `yaml:"is"`
	IsNot      []string       `yaml:"is_not"`
	On         string         `yaml:"on"`
	Over       time.Duration  `yaml:"over"`
	Stat       string         `yaml:"stat"`
	Above      *thresholdYAML `yaml:"above"`
	Below      *thresholdYAML `yaml:"below"`
	ClearAbove *thresholdYAML `yaml:"clear_above"`
	ClearBelow *thresholdYAML `yaml:"clear_below"`
	Events     *eventsYAML    `yaml:"events"`
	IfUnknown  string         `yaml:"if_unknown"`
	See        string         `yaml:"see"`
	Points     int            `yaml:"points"`
	Cause      bool           `yaml:"cause"`
	LabelNot   []string       `yaml:"label_not"`
	LabelIs    *conditionYAML `yaml:"label_is"`
	Seconds    *secondsYAML   `yaml:"seconds"`
}

// secondsYAML names clauses of the same file.
type secondsYAML struct {
	All      []string      `yaml:"all"`
	Any      [][]string    `yaml:"any"`
	Slack    time.Duration `yaml:"slack"`
	Decisive *decisiveYAML `yaml:"decisive"`
}

// decisiveYAML is a clause and the threshold past which one second counts twice.
type decisiveYAML struct {
	Clause string         `yaml:"clause"`
	Above  *thresholdYAML `yaml:"above"`
}

type eventsYAML struct {
	Signal string          `yaml:"signal"`
	Above  *thresholdYAML  `yaml:"above"`
	Near   []conditionYAML `yaml:"near"`
	Within time.Duration   `yaml:"within"`
	Unless []conditionYAML `yaml:"unless"`
	Clear  time.Duration   `yaml:"clear_of"`
	Steady *steadyYAML     `yaml:"steady"`
}

type steadyYAML struct {
	Signal string         `yaml:"signal"`
	Over   time.Duration  `yaml:"over"`
	Below  *thresholdYAML `yaml:"below"`
}

type conditionYAML struct {
	Signal string  `yaml:"signal"`
	Above  float64 `yaml:"above"`
}

// thresholdYAML is a number or a mapping.
type thresholdYAML struct {
	Value    *float64
	Of       string
	Baseline bool
	Times    *float64
	Plus     float64
	Floor    float64
}

var thresholdKeys = []string{"of", "baseline", "times", "plus", "floor"}

// UnmarshalYAML reads `4` as well as `{of: disk.iops_limit, times: 0.9}`.
func (t *thresholdYAML) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		t.Value = new(float64)
		if err := n.Decode(t.Value); err != nil {
			return fmt.Errorf("line %d: threshold %q is not a number", n.Line, n.Value)
		}
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a threshold is a number or {of, times, plus} or {baseline, times, plus, floor}", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := t.set(n.Content[i], n.Content[i+1]); err != nil {
			return err
		}
	}
	if (t.Of == "") == !t.Baseline {
		return fmt.Errorf("line %d: a threshold needs `of: SIGNAL` or `baseline: true`, one of them", n.Line)
	}
	return nil
}

func (t *thresholdYAML) set(key, value *yaml.Node) (err error) {
	switch key.Value {
	case "of":
		err = value.Decode(&t.Of)
	case "baseline":
		err = value.Decode(&t.Baseline)
	case "times":
		err = value.Decode(&t.Times)
	case "plus":
		err = value.Decode(&t.Plus)
	case "floor":
		err = value.Decode(&t.Floor)
	default:
		hint := ""
		if near := store.Nearest(key.Value, thresholdKeys); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("line %d: unknown key %q in a threshold%s", key.Line, key.Value, hint)
	}
	if err != nil {
		return fmt.Errorf("line %d: %s: %q has the wrong type", value.Line, key.Value, value.Value)
	}
	return nil
}
