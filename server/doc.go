// Package server builds the service from its parts and runs it: sources, poll,
// Window, history, matcher, live hub and pages. It decides nothing about stalls;
// it wires, starts and closes in the opposite order.
package server
