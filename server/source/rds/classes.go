package rds

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"stallbook/server/source/awscall"
)

const (
	classesAction = "ec2:DescribeInstanceTypes"
	classesEvery  = 24 * time.Hour // a class does not change its limits
	classesRetry  = time.Hour      // after a refusal, or a class EC2 does not know
)

// kibPerMB turns EC2's decimal megabytes into KiB.
const kibPerMB = 1e6 / 1024

// classes learns the limits of instance classes from EC2, each once.
type classes struct {
	client *ec2.Client

	mu    sync.Mutex
	known map[string]knownClass
}

type knownClass struct {
	Class
	until time.Time
}

// get returns a class. One name at a time is asked for: an unknown one among
// several would fail the call for all of them.
func (c *classes) get(ctx context.Context, name string, now time.Time) Class {
	c.mu.Lock()
	k, ok := c.known[name]
	c.mu.Unlock()
	if ok && now.Before(k.until) {
		return k.Class
	}
	class, keep := c.ask(ctx, name)
	c.mu.Lock()
	c.known[name] = knownClass{class, now.Add(keep)}
	c.mu.Unlock()
	return class
}

func (c *classes) ask(ctx context.Context, name string) (Class, time.Duration) {
	kind := ec2Type(name)
	if kind == "" {
		return Class{Name: name, Unknown: "class " + name + " has no EC2 instance type whose limits apply"}, classesEvery
	}
	out, err := c.client.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{types.InstanceType(kind)}})
	switch {
	case awscall.Code(err) == "InvalidInstanceType":
		return Class{Name: name, Unknown: "EC2 does not know the instance type of class " + name}, classesEvery
	case err != nil:
		return Class{Name: name, Unknown: awscall.Explain(err, classesAction, "class "+name)}, retryAfter(err)
	case len(out.InstanceTypes) != 1 || out.InstanceTypes[0].EbsInfo == nil || out.InstanceTypes[0].EbsInfo.EbsOptimizedInfo == nil:
		return Class{Name: name, Unknown: "EC2 gives no limits for class " + name}, classesEvery
	}
	return classOf(name, out.InstanceTypes[0].EbsInfo.EbsOptimizedInfo), classesEvery
}

// retryAfter is short for what passes by itself.
func retryAfter(err error) time.Duration {
	if awscall.Denied(err) {
		return classesRetry
	}
	return time.Minute
}

func classOf(name string, e *types.EbsOptimizedInfo) Class {
	c := Class{
		Name: name, IOPS: float64(aws.ToInt32(e.MaximumIops)), KiBS: aws.ToFloat64(e.MaximumThroughputInMBps) * kibPerMB,
		BaselineIOPS: float64(aws.ToInt32(e.BaselineIops)), BaselineKiBS: aws.ToFloat64(e.BaselineThroughputInMBps) * kibPerMB,
	}
	c.bursting = c.BaselineIOPS < c.IOPS || c.BaselineKiBS < c.KiBS
	return c
}

// ec2Type is the EC2 name of a class: db.r6g.large is r6g.large. Serverless has
// none, x2g is called x2gd there, and a suffix such as .tpc2.mem4x is RDS's own.
func ec2Type(class string) string {
	parts := strings.Split(strings.TrimPrefix(class, "db."), ".")
	if len(parts) < 2 || parts[0] == "serverless" {
		return ""
	}
	if parts[0] == "x2g" {
		parts[0] = "x2gd"
	}
	return parts[0] + "." + parts[1]
}
