package discover

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func db(id, resource string, change ...func(*types.DBInstance)) types.DBInstance {
	in := types.DBInstance{DBInstanceIdentifier: aws.String(id), DbiResourceId: aws.String(resource), Engine: aws.String("postgres"),
		Endpoint: &types.Endpoint{Address: aws.String(id + ".example"), Port: aws.Int32(5432)}}
	for _, f := range change {
		f(&in)
	}
	return in
}

func tags(kv ...string) func(*types.DBInstance) {
	return func(in *types.DBInstance) {
		for i := 0; i < len(kv); i += 2 {
			in.TagList = append(in.TagList, types.Tag{Key: aws.String(kv[i]), Value: aws.String(kv[i+1])})
		}
	}
}

func ids(list []Instance) (out []string) {
	for _, in := range list {
		name := in.ID
		if in.Gone != "" {
			name += " gone"
		}
		out = append(out, name)
	}
	return out
}

func TestWhatBelongs(t *testing.T) {
	all := []types.DBInstance{
		db("Billing-1", "db-1", tags("app", "billing", "stage", "live")), db("billing-2", "db-2", tags("app", "billing")),
		db("ledger-1", "db-3", func(in *types.DBInstance) { in.DBClusterIdentifier = aws.String("Ledger") }),
		db("mysql-1", "db-4", tags("app", "billing", "stage", "live"), func(in *types.DBInstance) { in.Engine = aws.String("mysql") }),
		db("aurora-1", "db-5", tags("app", "aurora"), func(in *types.DBInstance) { in.Engine = aws.String("aurora-postgresql") }),
		{DBInstanceIdentifier: aws.String("creating"), Engine: aws.String("postgres")},
	}
	for name, c := range map[string]struct {
		want Want
		ids  []string
	}{
		"by name":       {Want{Instances: []string{"billing-1", "creating", "missing"}}, []string{"billing-1", "creating"}},
		"by cluster":    {Want{Cluster: "ledger"}, []string{"ledger-1"}},
		"by a tag":      {Want{Tags: map[string]string{"app": "billing"}}, []string{"billing-1", "billing-2"}},
		"by two tags":   {Want{Tags: map[string]string{"app": "billing", "stage": "live"}}, []string{"billing-1"}},
		"by no tag":     {Want{Tags: map[string]string{"app": "shop"}}, nil},
		"aurora":        {Want{Tags: map[string]string{"app": "aurora"}}, []string{"aurora-1"}},
		"nothing asked": {Want{}, nil},
	} {
		if got := ids(find(all, c.want)); !slices.Equal(got, c.ids) {
			t.Errorf("%s: %v, want %v", name, got, c.ids)
		}
	}
	if in := find(all, Want{Instances: []string{"creating"}})[0]; in.Host != "" || in.Port != 0 {
		t.Errorf("an instance that is being created has the address %s:%d", in.Host, in.Port)
	}
}

func TestNewGoneRenamedSwitched(t *testing.T) {
	tag := tags("app", "billing")
	b := NewBook(Want{Tags: map[string]string{"app": "billing"}})
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	if got := b.Update(at(0), []types.DBInstance{db("a", "db-1", tag)}); !slices.Equal(ids(got), []string{"a"}) {
		t.Fatalf("%v", ids(got))
	}
	got := b.Update(at(1), []types.DBInstance{db("a", "db-1", tag), db("b", "db-2", tag)})
	if !slices.Equal(ids(got), []string{"a", "b"}) {
		t.Errorf("a new one: %v", ids(got))
	}
	got = b.Update(at(2), []types.DBInstance{db("a", "db-GREEN", tag), db("a-old", "db-1", tag), db("c", "db-2")})
	if !slices.Equal(ids(got), []string{"a", "a-old", "b gone"}) || got[0].Resource != "db-GREEN" || !strings.Contains(got[2].Gone, "called c now") {
		t.Errorf("after a switch and a rename: %+v", got)
	}
	got = b.Update(at(3), []types.DBInstance{db("a", "db-GREEN", tag), db("b", "db-9", tag)})
	if !slices.Equal(ids(got), []string{"a", "a-old gone", "b"}) {
		t.Errorf("the name is back, and another is deleted: %v", ids(got))
	}
	got = b.Update(at(3+25*60), []types.DBInstance{db("a", "db-GREEN"), db("b", "db-9", tag)})
	if !slices.Equal(ids(got), []string{"a gone", "b"}) || !strings.Contains(got[0].Gone, "does not belong to this cluster any more") {
		t.Errorf("a day later: %+v", got)
	}
}

func TestNamedOnesAreKnownBeforeAnythingIsHeard(t *testing.T) {
	b := NewBook(Want{Instances: []string{"x", "y"}})
	if got := ids(b.List()); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("%v", got)
	}
	if got := ids(b.Update(noon.Add(100*time.Hour), nil)); !slices.Equal(got, []string{"x gone", "y gone"}) {
		t.Errorf("%v", got)
	}
	if got := ids(b.Update(noon.Add(200*time.Hour), nil)); !slices.Equal(got, []string{"x gone", "y gone"}) {
		t.Errorf("what the configuration names is shown until it does not: %v", got)
	}
}
