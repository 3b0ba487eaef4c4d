package store

import (
	"math"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 400 * time.Millisecond: "0 s", 1600 * time.Millisecond: "2 s", 77 * time.Second: "77 s", 119600 * time.Millisecond: "2 min 00 s",
		125 * time.Second: "2 min 05 s", 2 * time.Hour: "2 h 00 min", 47*time.Hour + 59*time.Minute: "47 h 59 min", 50 * time.Hour: "2 d 2 h",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, tc := range []struct {
		v    float64
		unit string
		want string
	}{
		{4.3987, "ms", "4.40 ms"}, {55.23, "s", "55.2 s"}, {1173.107, "ms", "1,173 ms"}, {12500, "ms", "12.5 s"},
		{500, "/s", "500 /s"}, {0, "sessions", "0 sessions"}, {61440, "KiB/s", "60 MiB/s"}, {3 << 20, "KiB", "3 GiB"},
		{9.83, "KiB", "9.83 KiB"}, {0.042, "s", "0.042 s"}, {1234567, "rows", "1,234,567 rows"}, {-2500, "", "-2,500"},
		{9.996, "ms", "10.0 ms"}, {99.97, "ms", "100 ms"}, {math.NaN(), "ms", "–"}, {0.2, "", "0.20"},
	} {
		if got := Quantity(tc.v, tc.unit); got != tc.want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", tc.v, tc.unit, got, tc.want)
		}
	}
}
