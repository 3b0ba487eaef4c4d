// Package runner executes one check step on one server: on a connection of its
// own, in a read-only transaction, with deadlines on both sides, and keeps the
// run. It never executes a fix, and no text that a browser sent.
package runner
