package web

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

func TestSettingsPage(t *testing.T) {
	w := newWorld(t)
	w.window.Push(store.Batch{Ref: primary, Source: "rds", At: noon, Facts: map[string]string{"rds.monitoring_interval_s": "1"}})
	w.window.Push(store.Batch{Ref: standby, Source: "rds", At: noon, Facts: map[string]string{"rds.monitoring_interval_s": "0"}})
	s := w.server(Site{})
	plain := ask(t, s.Handler(), "GET", "/settings", "")
	if plain.StatusCode != 200 || !strings.Contains(plain.text, "nothing is asked of AWS") || !strings.Contains(plain.text, "4 KiB") {
		t.Errorf("without AWS: %d\n%s", plain.StatusCode, plain.text)
	}
	s.d.Settings = func() Settings {
		return Settings{Retention: store.Retention{Raw: 14 * 24 * time.Hour, Rollup: 400 * 24 * time.Hour, MaxBytes: 10e9}, Clouds: []Cloud{{
			Place: "eu-west-1", Over: 24 * time.Hour, Refs: []store.Ref{primary, standby}, Calls: []Call{
				{Action: "cloudwatch:GetMetricData", Requests: 1440, Metrics: 1440 * 12, Throttled: 3},
				{Action: "rds:DescribeDBInstances", Requests: 5760},
				{Action: "rds:DescribeEvents", Feature: "RDS events in the timeline", Requests: 9, Denied: true},
			},
		}}}
	}
	page := ask(t, s.Handler(), "GET", "/settings", "").text
	for _, want := range []string{
		"AWS refuses 1 action", "Off without it: RDS events in the timeline. It concerns orders/orders-1, orders/orders-2.",
		"about $5.18 a month", "518,400 metrics, about $5.18", "172,800 requests a month, free of charge", "AWS throttled 3 of 1440",
		"$5.05 to $15.29 a month", "--db-instance-identifier orders-2 --monitoring-interval 1",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestNoMonthFromAMoment(t *testing.T) {
	c := Cloud{Over: 10 * time.Second, Calls: []Call{{Action: "cloudwatch:GetMetricData", Requests: 1, Metrics: 500}}}
	if got := used(c)[0].Says; !strings.Contains(got, "so far") || dollars(c) != 0 {
		t.Errorf("%q, %v", got, dollars(c))
	}
}
