package awscall

import "fmt"

// features says what each action brings, and so what its lack costs.
var features = map[string]string{
	"rds:DescribeDBInstances":   "storage status, limits and discovery of instances",
	"rds:DescribeEvents":        "RDS events in the timeline",
	"rds:DescribeDBParameters":  "which parameters a fix may change",
	"ec2:DescribeInstanceTypes": "the I/O limit of the instance class",
	"cloudwatch:GetMetricData":  "burst balances, read and write latency, percentiles of a load balancer",
	"logs:GetLogEvents":         "Enhanced Monitoring: the disk second by second",
	"logs:FilterLogEvents":      "Enhanced Monitoring: the disk second by second",
	"logs:DescribeLogStreams":   "Enhanced Monitoring: which log streams exist",
	"sts:AssumeRole":            "everything in that account",
	"rds-db:connect":            "the login to PostgreSQL by IAM token",
}

// Feature says what an action is for, as a noun phrase.
func Feature(action string) string { return features[action] }

// LostWithout is the clause for a message: what does not work without an action.
func LostWithout(action string) string {
	if f := features[action]; f != "" {
		return "without it there is no " + f
	}
	return fmt.Sprintf("what needs %s is switched off", action)
}

// prefixes is how IAM writes the services of the SDK.
var prefixes = map[string]string{
	"RDS": "rds", "EC2": "ec2", "CloudWatch": "cloudwatch", "CloudWatch Logs": "logs", "STS": "sts",
}
