package discover

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"stallbook/server/source/awscall"
	"stallbook/server/source/awsfake"
)

// alone keeps the machine's own AWS settings out.
func alone(t *testing.T) *awsfake.Server {
	t.Helper()
	fake := awsfake.New()
	t.Cleanup(fake.Close)
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": awsfake.AccessKey, "AWS_SECRET_ACCESS_KEY": awsfake.SecretKey, "AWS_SESSION_TOKEN": awsfake.SessionToken,
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": "",
	} {
		t.Setenv(name, value)
	}
	return fake
}

func TestRoleOfAnotherAccount(t *testing.T) {
	fake := alone(t)
	meter := awscall.NewMeter(time.Now)
	cfg, err := Config(t.Context(), Place{Region: "eu-west-1", AssumeRole: "arn:aws:iam::123456789012:role/stallbook", Endpoint: map[string]string{"": fake.URL()}}, meter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rds.NewFromConfig(cfg).DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{}); err != nil {
		t.Fatal(err)
	}
	if calls := fake.Calls("AssumeRole"); len(calls) != 1 || calls[0].Text("RoleArn") != "arn:aws:iam::123456789012:role/stallbook" || calls[0].Text("RoleSessionName") != "stallbook" {
		t.Errorf("assumed %+v", calls)
	}
	fake.Fail("AssumeRole", awsfake.Fault{Kind: awsfake.Denied})
	cfg, _ = Config(t.Context(), Place{Region: "eu-west-1", AssumeRole: "arn:aws:iam::123456789012:role/other", Endpoint: map[string]string{"": fake.URL()}}, meter)
	_, err = rds.NewFromConfig(cfg).DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{})
	if says := awscall.Explain(err, "rds:DescribeDBInstances", "x"); !strings.Contains(says, "does not permit sts:AssumeRole for x") {
		t.Errorf("a refused role: %s", says)
	}
	_, counts := meter.Counts()
	for _, c := range counts {
		if c.Action == "sts:AssumeRole" && !c.Denied {
			t.Errorf("counted %+v", c)
		}
	}
}

// Each service may have a private endpoint of its own; the others keep theirs.
func TestEndpointsByService(t *testing.T) {
	fake := alone(t)
	cfg, err := Config(t.Context(), Place{Region: "eu-west-1", Endpoint: map[string]string{"rds": fake.URL()}}, awscall.NewMeter(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rds.NewFromConfig(cfg).DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{}); err != nil {
		t.Errorf("rds at its own endpoint: %v", err)
	}
	if at := cloudwatch.NewFromConfig(cfg).Options().BaseEndpoint; at != nil {
		t.Errorf("cloudwatch is asked at %s", *at)
	}
}

func TestTokenIsMadeForEachConnection(t *testing.T) {
	alone(t)
	cfg, err := Config(t.Context(), Place{Region: "eu-west-1"}, awscall.NewMeter(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	token, err := Token(cfg, Instance{ID: "a", Host: "a.example", Port: 5432}, "stallbook")(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse("https://" + token)
	if err != nil || u.Host != "a.example:5432" || u.Query().Get("DBUser") != "stallbook" || u.Query().Get("X-Amz-Expires") != "900" || !strings.Contains(u.Query().Get("X-Amz-Credential"), "/eu-west-1/rds-db/") {
		t.Errorf("token for %v %v", u, err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	cfg, err = Config(t.Context(), Place{Region: "eu-west-1"}, awscall.NewMeter(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Token(cfg, Instance{ID: "a", Host: "a.example", Port: 5432}, "stallbook")(t.Context()); err == nil || !strings.Contains(err.Error(), "no AWS credentials were found") {
		t.Errorf("without credentials: %v", err)
	}
}
