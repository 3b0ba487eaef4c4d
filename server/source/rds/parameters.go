package rds

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

const parametersEvery = time.Hour

// fixable are the parameters that the fixes of the library change.
var fixable = []string{
	"autovacuum_vacuum_insert_scale_factor", "autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_scale_factor",
	"autovacuum_vacuum_cost_delay", "autovacuum_vacuum_cost_limit", "autovacuum_max_workers", "autovacuum_naptime",
	"recovery_prefetch", "max_wal_size", "min_wal_size", "checkpoint_timeout", "checkpoint_completion_target",
	"wal_compression", "full_page_writes", "synchronous_commit", "track_io_timing", "log_autovacuum_min_duration",
	"hot_standby_feedback", "max_standby_streaming_delay", "max_slot_wal_keep_size", "idle_replication_slot_timeout",
	"shared_preload_libraries", "rds.adaptive_autovacuum",
}

type keptParameters struct {
	until time.Time
	list  []types.Parameter
	err   error
}

// Parameters returns the parameters of a group that fixes change.
func (a *Account) Parameters(ctx context.Context, group string, now time.Time) ([]types.Parameter, error) {
	v, err, _ := a.flight.Do("parameters "+group, func() (any, error) {
		a.answers.mu.Lock()
		kept, ok := a.answers.parameters[group]
		a.answers.mu.Unlock()
		if ok && now.Before(kept.until) {
			return kept.list, kept.err
		}
		kept.list, kept.err = a.describeParameters(ctx, group)
		kept.until = now.Add(parametersEvery)
		if kept.err != nil {
			kept.until = now.Add(parametersEvery / 6)
		}
		a.answers.mu.Lock()
		a.answers.parameters[group] = kept
		a.answers.mu.Unlock()
		return kept.list, kept.err
	})
	list, _ := v.([]types.Parameter)
	return list, err
}

func (a *Account) describeParameters(ctx context.Context, group string) ([]types.Parameter, error) {
	wanted := map[string]bool{}
	for _, name := range fixable {
		wanted[name] = true
	}
	var out []types.Parameter
	pages := rds.NewDescribeDBParametersPaginator(a.client, &rds.DescribeDBParametersInput{DBParameterGroupName: aws.String(group), MaxRecords: aws.Int32(100)})
	for pages.HasMorePages() {
		if err := a.limiter.Wait(ctx); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Parameters {
			if wanted[aws.ToString(p.ParameterName)] {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// maySay is one parameter's fact: whether it may be changed, how, and within what.
func maySay(group string, p types.Parameter) string {
	if !aws.ToBool(p.IsModifiable) {
		return "RDS lets nobody change it"
	}
	how := "takes effect after a reboot"
	if aws.ToString(p.ApplyType) == "dynamic" {
		how = "takes effect at once"
	}
	if allowed := aws.ToString(p.AllowedValues); allowed != "" {
		how += ", allowed: " + allowed
	}
	value := aws.ToString(p.ParameterValue)
	if value == "" {
		value = "the engine's default"
	}
	if strings.HasPrefix(group, "default.") {
		return fmt.Sprintf("changed in a parameter group of your own, as %s is read-only; %s; now %s", group, how, value)
	}
	return fmt.Sprintf("changed in %s; %s; now %s", group, how, value)
}
