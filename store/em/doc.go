// Package em reads Enhanced Monitoring documents, which RDS writes into the log
// group RDSOSMetrics. It knows their shapes and units and nothing of where they
// come from. The list of processes, whose titles carry user names and client
// addresses, is never decoded.
package em
