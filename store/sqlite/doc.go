// Package sqlite keeps the history in one SQLite file: samples, events,
// incidents and runs. It is the only package that knows the driver.
//
// Samples go through three shapes. Append puts batches into a bounded queue and
// never waits. One writer goroutine commits what came about once a second as one
// journal row for all instances, which is what a kill leaves behind. Ten minutes
// of one instance are then sealed as one block of columns, together with the
// roll-up of its minutes, and the journal rows are dropped. Blocks keep the
// integers the sources gave; rates are computed on read.
//
// A disk that is full or fails stops the history and nothing else: Health says
// so, saves are kept in memory, and writing resumes by itself.
package sqlite
