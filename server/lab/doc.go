// Package lab starts real PostgreSQL servers in a temporary folder: a primary
// and, on request, streaming standbys. stallbook demo --live and the tests use
// it. Nothing survives it: Close removes the files, and the servers end with
// the process that started them, whichever way that ends.
//
// It finds its own binaries (Find), never touches a server it did not start and
// imports nothing of ours.
package lab
