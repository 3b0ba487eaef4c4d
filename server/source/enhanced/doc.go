// Package enhanced reads Enhanced Monitoring of RDS instances, which lies in
// CloudWatch Logs: one document for each interval in a stream for each instance.
// Every document becomes a reading at its own time, however late it comes, and
// none is given twice.
//
// Streams are read one by one: a request over many fails as a whole when one of
// them does not exist, as after a blue/green switch. What one account and region
// may ask in a second is shared by a Limiter, which gives turns: with more
// instances than turns each waits as long as the others, and its next turn
// brings all it missed.
package enhanced
