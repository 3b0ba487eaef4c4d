// Package postgres reads one PostgreSQL server over one connection: once a
// second a pipelined batch of small statements (one round trip), and between
// them one task of the slow loop at a time.
//
// It promises the monitored server little work, no locks it would wait for, no
// error that repeats in its log, and read-only sessions. It promises its caller
// an answer before the context ends: a late connection is closed, never reused.
// It judges nothing; it turns views into store.Batch.
package postgres
