package web

import (
	"strings"
	"testing"
	"time"

	"stallbook/store"
)

// climb is a percentage that rises from one value to another over some hours.
func climb(begin time.Time, from, to float64, hours int) (out []store.Bucket) {
	for m := 0; m <= hours*60; m += 2 {
		v := float64(int(from + (to-from)*float64(m)/float64(hours*60)))
		out = append(out, store.Bucket{AtMs: begin.Add(time.Duration(m) * time.Minute).UnixMilli(), Min: v, Max: v})
	}
	return out
}

func TestLoadingSays(t *testing.T) {
	four := noon.Add(-4 * time.Hour)
	slowing := append(climb(four, 0, 40, 2), climb(noon.Add(-2*time.Hour), 40, 50, 2)[1:]...)
	for name, c := range map[string]struct {
		values  map[string]float64
		buckets []store.Bucket
		says    string
	}{
		"loaded":       {map[string]float64{"rds.storage_initializing": 0}, climb(four, 0, 99, 4), ""},
		"not heard":    {nil, climb(four, 0, 99, 4), ""},
		"no progress":  {map[string]float64{"rds.storage_initializing": 1}, nil, "reports no percentage, so when it is done is not known"},
		"begun":        {map[string]float64{"rds.storage_initializing": 1, "rds.storage_progress_pct": 1}, climb(noon.Add(-time.Hour), 0, 1, 1), "1 % of the volume is loaded, as RDS reports it. It is too early to say how fast it goes."},
		"steady":       {map[string]float64{"rds.storage_initializing": 1, "rds.storage_progress_pct": 40}, climb(four, 0, 40, 4), "It goes by 10 % an hour; at that pace 5 to 7 h more, an estimate"},
		"slows down":   {map[string]float64{"rds.storage_initializing": 1, "rds.storage_progress_pct": 50}, slowing, "It goes by 12.5 % an hour; at that pace 3 to 12 h more"},
		"stands still": {map[string]float64{"rds.storage_initializing": 1, "rds.storage_progress_pct": 37}, climb(four, 37, 37, 4), "It has not moved for 4 h"},
		"another restore before": {map[string]float64{"rds.storage_initializing": 1, "rds.storage_progress_pct": 20},
			append(climb(noon.Add(-9*time.Hour), 60, 90, 5), climb(four, 0, 20, 4)...), "It goes by 5 % an hour"},
	} {
		w := newWorld(t)
		if c.values != nil {
			w.push(primary, "rds", store.RoleUnknown, noon.Add(-2*time.Second), c.values)
		}
		w.buckets = c.buckets
		if got := w.server(Site{}).loadingSays(t.Context(), primary, noon); !strings.Contains(got, c.says) || c.says == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A percentage that is 100 while the status still stands is not the end, and a
// page never makes one out of a missing one.
func TestPageShowsProgressOnlyAsReported(t *testing.T) {
	w := newWorld(t)
	w.push(primary, "rds", store.RoleUnknown, noon.Add(-2*time.Second), map[string]float64{"rds.storage_initializing": 1})
	page := ask(t, w.server(Site{}).Handler(), "GET", "/clusters/orders/orders-1", "").text
	if strings.Contains(page, "100 %") || !strings.Contains(page, "reports no percentage") {
		t.Error("the page of a volume whose percentage is not reported")
	}
}
