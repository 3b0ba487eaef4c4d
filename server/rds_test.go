package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/server/config"
	"stallbook/server/source/awsfake"
	"stallbook/store"
)

// cloud is a fake AWS and a configuration that leads there.
func cloud(t *testing.T, clusters string) (*awsfake.Server, *config.Config) {
	t.Helper()
	fake := awsfake.New()
	t.Cleanup(fake.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", awsfake.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", awsfake.SecretKey)
	t.Setenv("AWS_SESSION_TOKEN", awsfake.SessionToken)
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	file := filepath.Join(t.TempDir(), "stallbook.yaml")
	text := "clusters:\n" + strings.ReplaceAll(clusters, "ENDPOINT", fake.URL())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return fake, cfg
}

// db is an instance as RDS describes it; nothing listens on its address.
func db(id string, change func(*types.DBInstance)) types.DBInstance {
	in := types.DBInstance{
		DBInstanceIdentifier: aws.String(id), DBInstanceStatus: aws.String("available"), Engine: aws.String("postgres"), EngineVersion: aws.String("16.4"),
		DBInstanceClass: aws.String("db.r6g.large"), DbiResourceId: aws.String("db-" + strings.ToUpper(id)), MonitoringInterval: aws.Int32(0),
		StorageType: aws.String("gp3"), AllocatedStorage: aws.Int32(200), Iops: aws.Int32(3000), StorageThroughput: aws.Int32(125),
		Endpoint: &types.Endpoint{Address: aws.String("127.0.0.1"), Port: aws.Int32(1)},
	}
	if change != nil {
		change(&in)
	}
	return in
}

func operation(status string, percent int32) func(*types.DBInstance) {
	return func(in *types.DBInstance) {
		in.StorageOperationStatus, in.StorageOperationPercentProgress = aws.String(status), aws.Int32(percent)
	}
}

// logged is a log that the test reads.
type logged struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *logged) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

const hydration = "storage-hydration"

// A restore goes from 0 to 100 % and drops both fields; another volume is being
// optimized all the while.
func TestRestoreIsOneIncident(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute: the RDS API is asked every 15 s")
	}
	fake, cfg := cloud(t, `
  - name: billing
    rds: {region: eu-west-1, tags: {app: billing}, endpoint: "ENDPOINT"}
    postgres: {user: stallbook, password: hunter2-of-the-test, sslmode: disable}
`)
	tagged := func(change func(*types.DBInstance)) func(*types.DBInstance) {
		return func(in *types.DBInstance) {
			in.TagList = []types.Tag{{Key: aws.String("app"), Value: aws.String("billing")}}
			change(in)
		}
	}
	set := func(change func(*types.DBInstance)) {
		fake.SetInstances(db("restored-1", tagged(change)), db("green-1", tagged(operation("Optimizing", 83))), db("foreign", nil))
	}
	set(operation("Initializing", 0))
	log := &logged{}
	s := start(t, Options{Config: cfg, Log: slog.New(slog.NewTextHandler(log, nil))})
	opened := until(t, 20*time.Second, "hydration opens within one poll", func() bool { return len(s.incidents("?state=open")) > 0 })
	t.Logf("opened after %v", opened)
	in := s.incidents("?state=open")[0]
	if in.Runbook != hydration || in.Ref() != (store.Ref{Cluster: "billing", Instance: "restored-1"}) {
		t.Fatalf("incident %+v", in)
	}
	set(operation("Initializing", 100))
	until(t, 20*time.Second, "the page shows the API's 100 %", func() bool {
		_, body := s.get("/clusters/billing/restored-1")
		return strings.Contains(body, "100 %")
	})
	if n := len(s.incidents("?state=open")); n != 1 {
		t.Errorf("%d open at 100 %% while the status says Initializing", n)
	}
	set(func(*types.DBInstance) {})
	closed := until(t, 60*time.Second, "it closes when the fields go", func() bool { return len(s.incidents("?state=closed")) == 1 })
	t.Logf("closed %v after the fields went", closed)
	if all := s.incidents(""); len(all) != 1 {
		t.Errorf("%d incidents, want the one: %+v", len(all), all)
	}
	status, body := s.get("/clusters/billing")
	if status != http.StatusOK || strings.Contains(body, "foreign") || !strings.Contains(body, "green-1") {
		t.Errorf("the cluster page: %d, foreign %v, green-1 %v", status, strings.Contains(body, "foreign"), strings.Contains(body, "green-1"))
	}
	s.stop()
	noSecret(t, "the log", log.text())
	if b, err := os.ReadFile(cfg.Database); err == nil {
		noSecret(t, "the history", string(b))
	} else {
		t.Error(err)
	}
}

func noSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{awsfake.SecretKey, awsfake.SessionToken, awsfake.AccessKey, "hunter2-of-the-test", "X-Amz-Signature"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds %q", where, secret)
		}
	}
}

func TestNothingFoundSaysWhy(t *testing.T) {
	fake, cfg := cloud(t, `
  - name: billing
    rds: {region: eu-west-1, cluster: billing, endpoint: "ENDPOINT"}
    postgres: {user: stallbook}
`)
	fake.Fail("DescribeDBInstances", awsfake.Fault{Kind: awsfake.Denied})
	s := start(t, Options{Config: cfg})
	says := func(want string) func() bool {
		return func() bool { _, body := s.get("/api/v1/clusters"); return strings.Contains(body, want) }
	}
	until(t, 10*time.Second, "the missing action is named", says("does not permit rds:DescribeDBInstances for cluster billing in eu-west-1"))
	fake.Heal("DescribeDBInstances")
	fake.SetInstances(db("billing-1", func(in *types.DBInstance) { in.DBClusterIdentifier = aws.String("billing") }))
	until(t, 40*time.Second, "the instance is found later", says(`"name":"billing-1"`))
	until(t, 5*time.Second, "the stand-in is gone", func() bool { return !says(notFoundYet)() })
	fake.SetInstances()
	until(t, 40*time.Second, "it is shown as gone", says("billing-1 is gone"))
	fmt.Fprintln(t.Output(), len(fake.Calls("")), "requests")
}

// The disk of an RDS instance is seen through Enhanced Monitoring, and only an
// instance that has none says so.
func TestDiskOfRDSComesFromEnhancedMonitoring(t *testing.T) {
	fake, cfg := cloud(t, `
  - name: billing
    rds: {region: eu-west-1, instances: [billing-1, billing-2], endpoint: "ENDPOINT"}
    postgres: {user: stallbook, password: hunter2-of-the-test, sslmode: disable}
`)
	fake.SetInstances(db("billing-1", func(in *types.DBInstance) { in.MonitoringInterval = aws.Int32(1) }), db("billing-2", nil))
	begin := time.Now().UTC().Truncate(time.Second).Add(-20 * time.Second)
	for i := range 20 {
		at := begin.Add(time.Duration(i) * time.Second)
		fake.Log("db-BILLING-1", at, osDocument(at, 700, 70000))
	}
	s := start(t, Options{Config: cfg})
	until(t, 20*time.Second, "its reads are in the history", func() bool {
		_, body := s.get("/api/v1/clusters/billing/billing-1/series?signal=disk.read_iops&from=" + begin.Format(time.RFC3339))
		return strings.Contains(body, ",700,700]")
	})
	until(t, 10*time.Second, "an instance without it says how to turn it on", func() bool {
		_, body := s.get("/api/v1/clusters")
		return strings.Contains(body, "Enhanced Monitoring is off")
	})
	until(t, 20*time.Second, "the limit of the volume is known", func() bool {
		_, body := s.get("/api/v1/clusters/billing/billing-1/series?signal=disk.iops_limit")
		return strings.Contains(body, "3000")
	})
	for _, path := range []string{"/", "/clusters/billing", "/clusters/billing/billing-1"} {
		if _, page := s.get(path); strings.Contains(page, "hunter2") || strings.Contains(page, "alice") {
			t.Errorf("%s tells a secret or a process title", path)
		}
	}
}
