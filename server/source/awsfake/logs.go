package awsfake

// stream is one log stream.
type stream struct{}
