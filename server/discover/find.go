package discover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// Want says which instances belong: by identifier, by DB cluster, or by tags.
type Want struct {
	Instances []string // DBInstanceIdentifiers, lower case
	Cluster   string   // DBClusterIdentifier
	Tags      map[string]string
}

// Instance is what the program needs to know of one to read it.
type Instance struct {
	ID       string // DBInstanceIdentifier, the name it has in the cluster
	Resource string // DbiResourceId, the name of its log stream; "" = not known
	Engine   string
	Host     string // "" while it is being created
	Port     int
	Interval int    // seconds of Enhanced Monitoring, 0 = off
	MultiAZ  bool   // has a standby that nobody can read
	Class    string //
	Storage  string // gp2, gp3, io1, ...
	Gone     string // why it is not there any more; "" = it is
}

// Aurora reports whether the storage is Aurora's, which has no volume of its own.
func (i Instance) Aurora() bool { return strings.HasPrefix(i.Engine, "aurora") }

// find picks the instances that are wanted out of all of an account and region,
// by name. Those of another engine are left out: they are nothing to us.
func find(all []types.DBInstance, w Want) []Instance {
	var out []Instance
	for i := range all {
		in := &all[i]
		if w.matches(in) && strings.Contains(strings.ToLower(aws.ToString(in.Engine)), "postgres") {
			out = append(out, describe(in))
		}
	}
	slices.SortFunc(out, func(a, b Instance) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (w Want) matches(in *types.DBInstance) bool {
	switch {
	case len(w.Instances) > 0:
		return slices.Contains(w.Instances, strings.ToLower(aws.ToString(in.DBInstanceIdentifier)))
	case w.Cluster != "":
		return strings.EqualFold(w.Cluster, aws.ToString(in.DBClusterIdentifier))
	case len(w.Tags) == 0:
		return false
	}
	for name, value := range w.Tags {
		if !slices.ContainsFunc(in.TagList, func(t types.Tag) bool { return aws.ToString(t.Key) == name && aws.ToString(t.Value) == value }) {
			return false
		}
	}
	return true
}

func describe(in *types.DBInstance) Instance {
	out := Instance{
		ID: strings.ToLower(aws.ToString(in.DBInstanceIdentifier)), Resource: aws.ToString(in.DbiResourceId), Engine: strings.ToLower(aws.ToString(in.Engine)),
		Interval: int(aws.ToInt32(in.MonitoringInterval)), MultiAZ: aws.ToBool(in.MultiAZ), Class: aws.ToString(in.DBInstanceClass),
		Storage: strings.ToLower(aws.ToString(in.StorageType)),
	}
	if in.Endpoint != nil {
		out.Host, out.Port = aws.ToString(in.Endpoint.Address), int(aws.ToInt32(in.Endpoint.Port))
	}
	return out
}
