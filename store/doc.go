// Package store holds what stallbook keeps, as plain values: signals and their
// catalogue, samples and batches, the in-memory Window with its baselines,
// evidence, incidents and runs. It imports the standard library only, so that
// detection never depends on a driver; store/sqlite is the place that knows SQL.
package store
