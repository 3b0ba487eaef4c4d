// Package awscall is what every source that asks AWS shares: counting requests,
// keeping below a rate, and saying in words why a request failed. It makes no
// request itself.
package awscall
