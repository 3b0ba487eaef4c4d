// Package signature judges clauses against the Window. It is pure: Compile
// turns YAML into a Signature, and Signature.At(view, ref, now) gives the same
// answer for the same data at the same time, live, in a replay and in a test.
package signature

// Signature is a compiled signature.yaml.
type Signature struct{}
