// Package cloudwatch reads metrics that only CloudWatch has: burst balances,
// read and write latency, free storage, and percentiles of a latency metric of
// the user's own, such as a load balancer's.
//
// One Account asks for all instances of an account and region at once, in as few
// GetMetricData as its bound of 500 queries allows. Points come once a minute and
// minutes late; each becomes a reading at its own time, and one that is missing
// is unknown. They are context, never a trigger by the second.
package cloudwatch
