package config

import "go.yaml.in/yaml/v3"

// The shapes below are the file as it is written. Every leaf is text: reader
// turns it into its type, so that a bad number is reported with its line and its
// key like any other problem, together with all the others.

type file struct {
	Listen    string    `yaml:"listen"`
	PublicURL string    `yaml:"public_url"`
	BasePath  string    `yaml:"base_path"`
	Database  string    `yaml:"database"`
	Runbooks  []string  `yaml:"runbooks"`
	Retention retention `yaml:"retention"`
	TLS       *tlsFiles `yaml:"tls"`
	Clusters  []cluster `yaml:"clusters"`
	Mute      []mute    `yaml:"mute"`

	Auth   *later `yaml:"auth"`
	Hooks  *later `yaml:"hooks"`
	Notify *later `yaml:"notify"`
}

type retention struct {
	Raw     string `yaml:"raw"`
	Rollup  string `yaml:"rollup"`
	MaxSize string `yaml:"max_size"`
}

type tlsFiles struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

type cluster struct {
	Name       string                       `yaml:"name"`
	Instances  []instance                   `yaml:"instances"`
	Latency    *latency                     `yaml:"latency"`
	Databases  oneOrMany                    `yaml:"databases"`
	Thresholds map[string]map[string]string `yaml:"thresholds"`
	Mute       []mute                       `yaml:"mute"`

	RDS      *rds   `yaml:"rds"`
	Postgres *login `yaml:"postgres"`
	Actions  *later `yaml:"actions"`
}

type instance struct {
	Name         string        `yaml:"name"`
	Postgres     string        `yaml:"postgres"`
	Databases    oneOrMany     `yaml:"databases"`
	NodeExporter *nodeExporter `yaml:"node_exporter"`
	Disk         *disk         `yaml:"disk"`
	Latency      *latency      `yaml:"latency"`
}

type nodeExporter struct {
	URL     string `yaml:"url"`
	Device  string `yaml:"device"`
	DataDir string `yaml:"data_dir"`
}

type disk struct {
	IOPSLimit string `yaml:"iops_limit"`
	MiBSLimit string `yaml:"mib_s_limit"`
}

type latency struct {
	Prometheus *prometheus `yaml:"prometheus"`
	Statements string      `yaml:"statements"`
	Probe      *probe      `yaml:"probe"`
	CloudWatch *cloudWatch `yaml:"cloudwatch"`
}

type rds struct {
	Region     string            `yaml:"region"`
	Instances  oneOrMany         `yaml:"instances"`
	Cluster    string            `yaml:"cluster"`
	Tags       map[string]string `yaml:"tags"`
	Endpoint   endpoints         `yaml:"endpoint"`
	AssumeRole string            `yaml:"assume_role"`
	Profile    string            `yaml:"profile"`
}

type login struct {
	User        string `yaml:"user"`
	Database    string `yaml:"database"`
	IAMAuth     string `yaml:"iam_auth"`
	Password    string `yaml:"password"`
	SSLMode     string `yaml:"sslmode"`
	SSLRootCert string `yaml:"sslrootcert"`
}

type cloudWatch struct {
	Region     string            `yaml:"region"`
	Namespace  string            `yaml:"namespace"`
	Metric     string            `yaml:"metric"`
	Dimensions map[string]string `yaml:"dimensions"`
	Unit       string            `yaml:"unit"`
}

// endpoints is one address for every service, or one for each.
type endpoints map[string]string

// UnmarshalYAML reads a word or a mapping.
func (e *endpoints) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*e = endpoints{"": n.Value}
		return nil
	}
	return n.Decode((*map[string]string)(e))
}

type prometheus struct {
	URL       string            `yaml:"url"`
	Histogram string            `yaml:"histogram"`
	Match     map[string]string `yaml:"match"`
}

type probe struct {
	Every string `yaml:"every"`
}

type mute struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
	Why  string `yaml:"why"`
}

// later is a key of the documented format that this build can't serve. It is
// refused rather than skipped: a hook that is silently not there is worse than
// none.
type later struct{}

// UnmarshalYAML takes any shape.
func (*later) UnmarshalYAML(*yaml.Node) error { return nil }

// oneOrMany is a list that may be written as a single word.
type oneOrMany []string

// UnmarshalYAML reads a word or a list of words.
func (o *oneOrMany) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*o = []string{n.Value}
		return nil
	}
	return n.Decode((*[]string)(o))
}
