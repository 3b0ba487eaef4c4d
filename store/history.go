package store

import "time"

// HistoryHealth says whether the history is being kept. Detection goes on
// without it, and every page says so while OK is false.
type HistoryHealth struct {
	OK      bool
	Since   time.Time // of the present state
	Message string    // why it stopped, and what mends it
	Bytes   int64     // size of the file with its WAL
	Dropped int64     // batches that could not be kept since the start
}

// Retention bounds the history. Zero fields mean the default.
type Retention struct {
	Raw      time.Duration // 1 s samples, default 14 days
	Rollup   time.Duration // 1 min minimum, maximum and sum, default 400 days
	MaxBytes int64         // size of the file; the oldest raw blocks go first; 0 = no cap
}
