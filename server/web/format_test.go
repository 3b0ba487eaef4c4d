package web

import (
	"testing"
	"time"

	"stallbook/views"
)

func TestQty(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want views.Qty
	}{
		{1172.6, "ms", views.Qty{Num: "1,173", Unit: "ms"}},
		{16300, "ms", views.Qty{Num: "16.3", Unit: "s"}},
		{55.2, "s", views.Qty{Num: "55.2", Unit: "s"}},
		{125, "s", views.Qty{Num: "2 min 05 s"}},
		{7200, "s", views.Qty{Num: "2 h 00 min"}},
		{61440, "KiB/s", views.Qty{Num: "60", Unit: "MiB/s"}},
		{500, "/s", views.Qty{Num: "500", Unit: "/s"}},
		{0, "sessions", views.Qty{Num: "0", Unit: "sessions"}},
	} {
		if got := qty(c.v, c.unit); got != c.want {
			t.Errorf("qty(%v, %q) = %+v, want %+v", c.v, c.unit, got, c.want)
		}
	}
}

func TestAges(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0 s"}, {900 * time.Millisecond, "0 s"}, {42 * time.Second, "42 s"}, {119 * time.Second, "119 s"},
		{120 * time.Second, "2 min"}, {119 * time.Minute, "119 min"}, {3 * time.Hour, "3 h"}, {50 * time.Hour, "2 d"},
	} {
		if got := coarse(c.d); got != c.want {
			t.Errorf("coarse(%v) = %q, want %q", c.d, got, c.want)
		}
	}
	if got := ageOf(noon.Add(-2*time.Second), noon, false, ""); got.Text != "2 s ago" || got.Ms != millis(noon.Add(-2*time.Second)) {
		t.Errorf("ageOf = %+v", got)
	}
	if got := ageOf(time.Time{}, noon, false, "never"); got.Text != "never" || got.Ms != "" {
		t.Errorf("ageOf of nothing = %+v", got)
	}
}

func TestShareOfALimitIsNotRoundedAway(t *testing.T) {
	for _, c := range []struct {
		v, limit float64
		want     string
	}{
		{500, 500, "100 % of limit"}, {499.9, 500, "99 % of limit"}, {476, 500, "95 % of limit"},
		{573, 500, "115 % of limit"}, {0, 500, "0 % of limit"}, {5, 0, ""},
	} {
		if got := shareOf(c.v, c.limit); got != c.want {
			t.Errorf("shareOf(%v, %v) = %q, want %q", c.v, c.limit, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		plural(1, "standby", "standbys"): "1 standby", plural(1200, "instance", "instances"): "1,200 instances",
		counted(0): "no", counted(3): "three", counted(30): "30", times(1): "once", times(2): "twice", times(4): "four times",
		countedOf(1, "instance", "instances"): "one instance", countedOf(2, "instance", "instances"): "two instances",
		sentence("it is gone"): "it is gone.", sentence("is it gone?"): "is it gone?", sentence(""): "",
		shortened("a setting changed, and more", 12): "a setting c…", shortened("short", 12): "short",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhenNamesAnotherDay(t *testing.T) {
	if got := when(noon.Add(-time.Hour), noon); got != "11:00:00" {
		t.Errorf("today: %q", got)
	}
	if got := when(noon.Add(-24*time.Hour), noon); got != "30 Nov 12:00" {
		t.Errorf("yesterday: %q", got)
	}
}
