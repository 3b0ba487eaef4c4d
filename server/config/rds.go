package config

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// RDS says which instances of an AWS account and region make up a cluster, and
// how to log in to them.
type RDS struct {
	Region    string
	Instances []string          // DB instance identifiers, or …
	Cluster   string            // … a DB cluster identifier, or …
	Tags      map[string]string // … tags that an instance has all of
	// Endpoint is where the API is reached: by service (rds, logs, monitoring,
	// ec2, sts), "" for all the others. Empty = AWS's own addresses.
	Endpoint   map[string]string `json:",omitempty"`
	AssumeRole string            `json:",omitempty"` // ARN of a role in the account; "" = the program's own identity
	Profile    string            `json:",omitempty"` // of the AWS configuration file; "" = the SDK's own choice
	Login      Login
	Databases  Databases
	Latency    Latency
}

// Login is how the program logs in to every instance of an RDS cluster.
type Login struct {
	User, Database       string
	IAMAuth              bool   // a token for each connection in place of a password
	Password             Secret // zero = password file or PGPASSWORD
	SSLMode, SSLRootCert string
}

// CloudWatchMetric is a latency metric of the user's, such as a load balancer's.
type CloudWatchMetric struct {
	Region            string // "" = the region of the cluster's rds
	Namespace, Metric string
	Dimensions        map[string]string
	Seconds           bool // the metric is in seconds, else in milliseconds
}

var (
	regionForm   = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]+$`)
	roleForm     = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]+$`)
	identForm    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,62}$`)
	endpointKeys = []string{"rds", "logs", "monitoring", "ec2", "sts"}
)

func (r *reader) rds(raw *cluster, path string, shared defaults) *RDS {
	if raw.RDS == nil {
		if r.has(path + ".rds") {
			r.add(path+".rds", "%s.rds is empty: give region, and one of instances, cluster, tags", path)
		}
		if raw.Postgres != nil {
			r.add(path+".postgres", "%s.postgres belongs to rds:, which this cluster has not; elsewhere each instance has its own postgres", path)
		}
		if m := shared.latency.CloudWatch; m != nil && m.Region == "" {
			r.missing(path+".latency.cloudwatch", "region", "the region of the metric, such as eu-west-1")
		}
		return nil
	}
	p := path + ".rds"
	if len(raw.Instances) > 0 {
		r.add(p, "%s: instances are listed beside it; a cluster is either found through rds or listed", p)
	}
	out := &RDS{
		Region: r.region(raw.RDS.Region, p), Profile: r.expand(raw.RDS.Profile, p+".profile"),
		AssumeRole: r.expand(raw.RDS.AssumeRole, p+".assume_role"), Endpoint: r.endpoints(raw.RDS.Endpoint, p+".endpoint"),
		Databases: shared.databases, Latency: shared.latency,
	}
	if out.AssumeRole != "" && !roleForm.MatchString(out.AssumeRole) {
		r.add(p+".assume_role", "%s.assume_role: write the role's ARN, arn:aws:iam::123456789012:role/stallbook", p)
	}
	r.chosen(raw.RDS, p, out)
	out.Login = r.login(raw.Postgres, path+".postgres", path)
	if out.Login.IAMAuth && out.Latency.Kind == LatencyProbe {
		r.add(path+".latency.probe", "%s.latency.probe can't be used with iam_auth: choose statements, prometheus or cloudwatch", path)
	}
	return out
}

// chosen reads which instances are meant.
func (r *reader) chosen(raw *rds, p string, out *RDS) {
	ways := 0
	for _, key := range []string{"instances", "cluster", "tags"} {
		if r.has(p + "." + key) {
			ways++
		}
	}
	switch {
	case ways == 0:
		r.missing(p, "instances", "say which instances: instances: [id, …], cluster: id, or tags: {name: value}")
	case ways > 1:
		r.add(p, "%s: choose one of instances, cluster, tags", p)
	}
	for _, id := range raw.Instances {
		id = strings.ToLower(r.expand(id, p+".instances"))
		switch {
		case !identForm.MatchString(id):
			r.add(p+".instances", "%s.instances: %q is no DB instance identifier", p, id)
		case slices.Contains(out.Instances, id):
			r.add(p+".instances", "%s.instances: %q is listed twice", p, id)
		default:
			out.Instances = append(out.Instances, id)
		}
	}
	out.Cluster = strings.ToLower(r.expand(raw.Cluster, p+".cluster"))
	for _, name := range slices.Sorted(maps.Keys(raw.Tags)) {
		if out.Tags == nil {
			out.Tags = map[string]string{}
		}
		out.Tags[name] = r.expand(raw.Tags[name], p+".tags."+name)
	}
	if ways == 1 && len(out.Instances) == 0 && out.Cluster == "" && len(out.Tags) == 0 && len(raw.Instances) == 0 {
		r.add(p, "%s: no instance is named", p)
	}
}

func (r *reader) region(text, parent string) string {
	p := parent + ".region"
	text = r.expand(text, p)
	switch {
	case text == "":
		r.missing(parent, "region", "the AWS region of the instances, such as eu-west-1")
	case !regionForm.MatchString(text):
		r.add(p, "%s: %q is no AWS region, such as eu-west-1", p, text)
	}
	return text
}

func (r *reader) endpoints(raw endpoints, path string) map[string]string {
	var out map[string]string
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		p := path
		if key != "" {
			p += "." + key
			if !slices.Contains(endpointKeys, key) {
				r.add(p, "%s: the services are %s", p, strings.Join(endpointKeys, ", "))
				continue
			}
		}
		text := r.expand(raw[key], p)
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			r.add(p, "%s: write it as https://host, the address of a private endpoint", p)
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[key] = text
	}
	return out
}

var sslModes = []string{"verify-full", "verify-ca", "require", "prefer", "allow", "disable"}

func (r *reader) login(raw *login, path, parent string) Login {
	if raw == nil {
		r.missing(parent, "postgres", "how to log in to the instances, such as {user: stallbook, database: postgres, iam_auth: true}")
		return Login{}
	}
	out := Login{
		User: r.expand(raw.User, path+".user"), Database: orDefault(r.expand(raw.Database, path+".database"), "postgres"),
		SSLMode: orDefault(r.expand(raw.SSLMode, path+".sslmode"), "verify-full"), SSLRootCert: r.local(raw.SSLRootCert, path+".sslrootcert"),
		IAMAuth: r.boolean(raw.IAMAuth, path+".iam_auth"),
	}
	if out.User == "" {
		r.missing(path, "user", "the role to log in as")
	}
	if r.has(path + ".password") {
		out.Password = NewSecret(r.secret(raw.Password, path+".password"), "")
		if out.IAMAuth {
			r.add(path+".password", "%s: choose one of password and iam_auth: a role with rds_iam has no password login", path)
		}
	}
	switch {
	case !slices.Contains(sslModes, out.SSLMode):
		r.add(path+".sslmode", "%s.sslmode: %q is none of %s", path, out.SSLMode, strings.Join(sslModes, ", "))
	case out.IAMAuth && !strings.HasPrefix(out.SSLMode, "verify-"):
		r.add(path+".sslmode", "%s.sslmode: with iam_auth only verify-full and verify-ca: a token sent to a server that nobody verified can be used by it", path)
	}
	if out.SSLRootCert != "" {
		if _, err := os.Stat(out.SSLRootCert); err != nil {
			r.add(path+".sslrootcert", "%s.sslrootcert can't be read: %v", path, err)
		}
	}
	return out
}

func (r *reader) boolean(text, path string) bool {
	switch strings.ToLower(r.expand(text, path)) {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off":
		return false
	}
	r.add(path, "%s: %q is neither true nor false", path, text)
	return false
}

func (r *reader) cloudWatch(raw *cloudWatch, path string) *CloudWatchMetric {
	out := &CloudWatchMetric{Namespace: r.expand(raw.Namespace, path+".namespace"), Metric: r.expand(raw.Metric, path+".metric"), Dimensions: map[string]string{}}
	if r.has(path + ".region") {
		out.Region = r.region(raw.Region, path)
	}
	if out.Namespace == "" {
		r.missing(path, "namespace", "such as AWS/ApplicationELB")
	}
	if out.Metric == "" {
		r.missing(path, "metric", "such as TargetResponseTime")
	}
	for name, value := range raw.Dimensions {
		out.Dimensions[name] = r.expand(value, path+".dimensions."+name)
	}
	unit := strings.ToLower(r.expand(raw.Unit, path+".unit"))
	switch {
	case unit == "s" || unit == "seconds", unit == "" && strings.HasSuffix(out.Namespace, "ELB"):
		out.Seconds = true
	case unit == "ms" || unit == "milliseconds", unit == "" && out.Namespace == "AWS/ApiGateway":
	case unit == "" && out.Namespace != "":
		r.missing(path, "unit", "seconds or milliseconds: CloudWatch keeps what it was sent and converts nothing")
	case unit != "":
		r.add(path+".unit", "%s.unit: %q is neither seconds nor milliseconds", path, raw.Unit)
	}
	return out
}

// DSN is the connection string for one instance. With IAMAuth it has no password.
func (l Login) DSN(host string, port int) Secret {
	var b strings.Builder
	for _, kv := range [][2]string{
		{"host", host}, {"port", strconv.Itoa(port)}, {"user", l.User}, {"dbname", l.Database}, {"sslmode", l.SSLMode},
		{"sslrootcert", l.SSLRootCert}, {"password", l.Password.Reveal()},
	} {
		if kv[1] != "" {
			fmt.Fprintf(&b, "%s='%s' ", kv[0], strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(kv[1]))
		}
	}
	return NewSecret(strings.TrimSpace(b.String()), fmt.Sprintf("%s:%d/%s as %s", host, port, l.Database, l.User))
}
