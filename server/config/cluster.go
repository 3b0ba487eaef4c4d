package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// nameForm is what may stand in a URL and in a metric label as it is.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// longestName in characters, as in PostgreSQL and in a host name.
const longestName = 63

func (r *reader) clusters(raw []cluster, into *Config) {
	if len(raw) == 0 {
		r.missing("", "clusters", "name at least one cluster with one instance")
	}
	seen := map[string]int{}
	for i := range raw {
		path := fmt.Sprintf("clusters[%d]", i)
		into.Clusters = append(into.Clusters, r.cluster(&raw[i], path, seen))
		into.thresholds = append(into.thresholds, r.overrides(raw[i].Thresholds, path, &into.Clusters[i])...)
	}
}

func (r *reader) cluster(raw *cluster, path string, seen map[string]int) Cluster {
	r.later(raw.Actions, path+".actions")
	out := Cluster{
		Name: r.name(raw.Name, path, "cluster", seen),
		Mute: r.mutes(raw.Mute, path+".mute"),
	}
	shared := defaults{r.latency(raw.Latency, path+".latency"), r.databases(raw.Databases, path+".databases")}
	out.RDS = r.rds(raw, path, shared)
	if len(raw.Instances) == 0 && !r.has(path+".rds") {
		r.missing(path, "instances", "a cluster has at least one instance, or rds: to find them")
	}
	names := map[string]int{}
	for i := range raw.Instances {
		out.Instances = append(out.Instances, r.instance(&raw.Instances[i], fmt.Sprintf("%s.instances[%d]", path, i), names, shared))
	}
	return out
}

// defaults is what a cluster says for those of its instances that don't.
type defaults struct {
	latency   Latency
	databases Databases
}

func (r *reader) name(text, path, what string, seen map[string]int) string {
	name := r.expand(text, path+".name")
	p := path + ".name"
	switch {
	case name == "":
		r.missing(path, "name", "every "+what+" needs one, it stands in links and incidents")
	case !nameForm.MatchString(name):
		r.add(p, "%s: %q can't stand in a link; use letters, digits, - . _, and begin with a letter or digit", p, name)
	case len(name) > longestName:
		r.add(p, "%s: %q has %d characters; %d are the most", p, name, len(name), longestName)
	case seen[name] != 0:
		r.add(p, "%s: another %s is called %q, on line %d", p, what, name, seen[name])
	default:
		seen[name] = r.line(p)
	}
	return name
}

func (r *reader) instance(raw *instance, path string, seen map[string]int, shared defaults) Instance {
	out := Instance{
		Name:         r.name(raw.Name, path, "instance", seen),
		Postgres:     r.dsn(raw.Postgres, path),
		Databases:    shared.databases,
		NodeExporter: r.nodeExporter(raw.NodeExporter, path+".node_exporter"),
		Latency:      shared.latency,
	}
	if raw.Databases != nil {
		out.Databases = r.databases(raw.Databases, path+".databases")
	}
	if raw.Latency != nil {
		out.Latency = r.latency(raw.Latency, path+".latency")
	}
	if raw.Disk != nil {
		out.Disk.IOPSLimit = r.positive(raw.Disk.IOPSLimit, path+".disk.iops_limit")
		out.Disk.KiBSLimit = r.positive(raw.Disk.MiBSLimit, path+".disk.mib_s_limit")
		if out.Disk.KiBSLimit != nil {
			*out.Disk.KiBSLimit *= 1024
		}
	}
	return out
}

func (r *reader) databases(raw oneOrMany, path string) Databases {
	if len(raw) == 1 && raw[0] == "all" {
		return Databases{All: true}
	}
	var out Databases
	for i, name := range raw {
		name = r.expand(name, path)
		switch {
		case name == "":
			r.add(path, "%s: a database without a name", path)
		case slices.Contains(raw[:i], name):
			r.add(path, "%s: %q is listed twice", path, name)
		}
		out.Names = append(out.Names, name)
	}
	return out
}

func (r *reader) nodeExporter(raw *nodeExporter, path string) *NodeExporter {
	if raw == nil {
		return nil
	}
	return &NodeExporter{
		URL:     r.scrapeURL(raw.URL, path),
		Device:  r.expand(raw.Device, path+".device"),
		DataDir: r.expand(raw.DataDir, path+".data_dir"),
	}
}

// override is one threshold of the file with where it stands.
type override struct {
	slug, clause         string
	slugLine, clauseLine int
}

func (r *reader) overrides(raw map[string]map[string]string, path string, into *Cluster) []override {
	var out []override
	for _, slug := range slices.Sorted(maps.Keys(raw)) {
		for _, clause := range slices.Sorted(maps.Keys(raw[slug])) {
			slugPath := path + ".thresholds." + slug
			p := slugPath + "." + clause
			text := r.expand(raw[slug][clause], p)
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || v-v != 0 {
				r.add(p, "%s: %q is not a number", p, text)
				continue
			}
			if into.Thresholds == nil {
				into.Thresholds = map[string]map[string]float64{}
			}
			if into.Thresholds[slug] == nil {
				into.Thresholds[slug] = map[string]float64{}
			}
			into.Thresholds[slug][clause] = v
			out = append(out, override{slug, clause, r.line(slugPath), r.line(p)})
		}
	}
	slices.SortFunc(out, func(a, b override) int { return cmp.Compare(a.clauseLine, b.clauseLine) })
	return out
}
