// Package awsfake is an AWS for tests: one loopback server that speaks the wire
// protocols of the real SDK clients for RDS (Query and XML), CloudWatch (RPC v2
// over CBOR) and CloudWatch Logs (JSON 1.1). The state is what the test sets;
// every action can be made to fail as AWS fails. No part of the program imports
// it.
package awsfake
