package enhanced

import (
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"stallbook/server/source/awscall"
	"stallbook/store"
	"stallbook/store/em"
)

const action = "logs:GetLogEvents"

// unreadable is a page of which no document could be read.
type unreadable struct{ first error }

func (e *unreadable) Error() string { return e.first.Error() }
func (e *unreadable) Unwrap() error { return e.first }

// explain says why a poll failed. Nothing of an answer's text stands in it.
func (s *Source) explain(err error) string {
	var missing *types.ResourceNotFoundException
	var bad *unreadable
	var engine *em.EngineError
	switch {
	case errors.As(err, &engine):
		return engine.Error()
	case errors.As(err, &bad):
		return fmt.Sprintf("the Enhanced Monitoring documents of %s can't be read; the first one %v", s.o.ID, bad.first)
	case errors.As(err, &missing):
		return fmt.Sprintf("the log group %s has no stream %s for %s: Enhanced Monitoring was turned on only now, or its monitoring role may not write there (it needs the policy AmazonRDSEnhancedMonitoringRole)", LogGroup, s.stream.name, s.o.ID)
	}
	return awscall.Explain(err, action, s.o.ID)
}

// pause is how long to leave AWS alone after failures in a row. A refusal or a
// missing stream is mended by people and gets asked about seldom.
func pause(err error, failures int) time.Duration {
	var missing *types.ResourceNotFoundException
	switch {
	case awscall.Denied(err):
		return time.Minute
	case errors.As(err, &missing):
		return 15 * time.Second
	case awscall.Throttled(err):
		return 5 * time.Second
	}
	return min(30*time.Second, time.Second<<min(failures, 5))
}

func noStreamYet(id string) string {
	return fmt.Sprintf("the log stream of %s is not known: its name is the DbiResourceId, which rds:DescribeDBInstances tells", id)
}

func monitoringOff(id string) string {
	return fmt.Sprintf("Enhanced Monitoring is off for %s (MonitoringInterval 0), so its disk is not seen second by second; "+
		"turn it on with: aws rds modify-db-instance --db-instance-identifier %s --monitoring-interval 1 --monitoring-role-arn ARN --apply-immediately", id, id)
}

func emptyStream(id, stream string) string {
	return fmt.Sprintf("the log stream %s of %s has no document of the last minutes", stream, id)
}

func stale(id, stream string, age time.Duration) string {
	return fmt.Sprintf("the newest document in the log stream %s of %s is %.0f s old: the monitoring agent is silent", stream, id, age.Seconds())
}

func unreadNote(bad, of int, first error) string {
	return fmt.Sprintf("%d of %d Enhanced Monitoring events could not be read in whole; the first one %v", bad, of, first)
}

func switched(at time.Time, o Options, old, now string) store.Event {
	return store.Event{At: at.UTC(), Ref: o.Ref, Kind: "source",
		Text: fmt.Sprintf("%s is another server now (%s, it was %s), as after a blue/green switch or a restore; what is usual is learnt anew", o.ID, now, old)}
}
