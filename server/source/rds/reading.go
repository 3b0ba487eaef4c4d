package rds

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/store"
)

// initializing is the one status that means that blocks are still in S3.
const initializing = "Initializing"

// none is how a fact says that the API reports nothing, which keeps it from
// standing on with its last value.
const none = "none"

// storageSamples tells whether a volume loads. The percentage of any other
// operation is left out: it is not how much of a snapshot is loaded.
func storageSamples(in *types.DBInstance) []store.Sample {
	loads, progress := false, (*int32)(nil)
	look := func(status *string, percent *int32) {
		if aws.ToString(status) != initializing {
			return
		}
		loads = true
		if percent != nil && (progress == nil || *percent < *progress) {
			progress = percent
		}
	}
	look(in.StorageOperationStatus, in.StorageOperationPercentProgress)
	for _, v := range in.AdditionalStorageVolumes {
		look(v.StorageOperationStatus, v.StorageOperationPercentProgress)
	}
	on := 0.0
	if loads {
		on = 1
	}
	out := []store.Sample{store.SampleOf(store.MustLookup("rds.storage_initializing"), "", on, 0)}
	if progress != nil {
		out = append(out, store.SampleOf(store.MustLookup("rds.storage_progress_pct"), "", float64(*progress), 0))
	}
	return out
}

// limitSamples leaves out what is not known.
func limitSamples(l Limit) []store.Sample {
	var out []store.Sample
	if l.IOPS > 0 {
		out = append(out, store.SampleOf(store.MustLookup("disk.iops_limit"), "", l.IOPS, 0))
	}
	if l.KiBS > 0 {
		out = append(out, store.SampleOf(store.MustLookup("disk.kib_s_limit"), "", l.KiBS, 0))
	}
	return out
}

func facts(in *types.DBInstance, l Limit, region string) map[string]string {
	out := map[string]string{
		"rds.status":                text(in.DBInstanceStatus),
		"rds.storage_operation":     operation(in),
		"rds.class":                 text(in.DBInstanceClass),
		"rds.engine":                text(in.Engine),
		"rds.engine_version":        text(in.EngineVersion),
		"rds.storage_type":          text(in.StorageType),
		"rds.allocated_gib":         number(in.AllocatedStorage),
		"rds.iops":                  number(in.Iops),
		"rds.throughput_mib_s":      number(in.StorageThroughput),
		"rds.limit_from":            cmp.Or(l.From, "not known"),
		"rds.monitoring_interval_s": number(in.MonitoringInterval),
		"rds.multi_az":              strconv.FormatBool(aws.ToBool(in.MultiAZ)),
		"rds.resource_id":           text(in.DbiResourceId),
		"rds.replica_of":            text(in.ReadReplicaSourceDBInstanceIdentifier),
		"rds.replicas":              list(in.ReadReplicaDBInstanceIdentifiers),
		"rds.cluster":               text(in.DBClusterIdentifier),
		"rds.iam_auth":              strconv.FormatBool(aws.ToBool(in.IAMDatabaseAuthenticationEnabled)),
		"rds.region":                region,
		"rds.zone":                  text(in.AvailabilityZone),
		"rds.dedicated_log_volume":  strconv.FormatBool(aws.ToBool(in.DedicatedLogVolume)),
		"rds.additional_volumes":    volumesText(in.AdditionalStorageVolumes),
		"rds.burst_iops":            none,
		"rds.parameter_group":       none,
	}
	if l.Burst > 0 {
		out["rds.burst_iops"] = strconv.FormatFloat(l.Burst, 'f', -1, 64)
	}
	if len(in.DBParameterGroups) > 0 {
		g := in.DBParameterGroups[0]
		out["rds.parameter_group"] = text(g.DBParameterGroupName) + ", " + text(g.ParameterApplyStatus)
	}
	return out
}

// operation is the status word for word, known to us or not, without the
// percentage: a fact that moved each poll would flood the timeline.
func operation(in *types.DBInstance) string {
	var found []string
	add := func(volume string, status *string) {
		if s := aws.ToString(status); s != "" {
			found = append(found, strings.TrimSpace(s+volume))
		}
	}
	add("", in.StorageOperationStatus)
	for _, v := range in.AdditionalStorageVolumes {
		add(" ("+aws.ToString(v.VolumeName)+")", v.StorageOperationStatus)
	}
	if len(found) == 0 {
		return "none reported"
	}
	return strings.Join(found, ", ")
}

// notes say what can't be seen here, and what stands between two states.
func notes(in *types.DBInstance, c Class) []string {
	var out []string
	if c.Unknown != "" {
		out = append(out, c.Unknown+"; until then limits are those of the volume")
	}
	if other := aws.ToString(in.StorageOperationStatus); other != "" && other != initializing || aws.ToString(in.DBInstanceStatus) == "storage-optimization" {
		out = append(out, "RDS reports the storage operation "+cmp.Or(other, "storage-optimization")+", which is not the loading of a snapshot: until it ends the limits may be the old ones or the new, and how long it takes is not known")
	}
	return out
}

func text(p *string) string { return cmp.Or(aws.ToString(p), none) }

func number(p *int32) string {
	if p == nil {
		return none
	}
	return strconv.Itoa(int(*p))
}

func list(names []string) string {
	if len(names) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(names))
	return strings.Join(sorted, ", ")
}

func volumesText(vs []types.AdditionalStorageVolumeOutput) string {
	var out []string
	for _, v := range vs {
		out = append(out, fmt.Sprintf("%s: %s, %s GiB", text(v.VolumeName), text(v.StorageType), number(v.AllocatedStorage)))
	}
	if len(out) == 0 {
		return none
	}
	return strings.Join(out, "; ")
}
