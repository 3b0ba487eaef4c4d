package store

import "errors"

// ErrNotFound is returned by every lookup whose object does not exist.
var ErrNotFound = errors.New("not found")

// Problem is an error with a sentence for a person: what, where, how to mend.
// Code is one of invalid, not_found, forbidden, conflict, unavailable.
type Problem struct {
	Code    string
	Message string
	Cause   error // for the log; never shown
}

func (p *Problem) Error() string {
	if p.Cause != nil {
		return p.Message + " (" + p.Cause.Error() + ")"
	}
	return p.Message
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }
