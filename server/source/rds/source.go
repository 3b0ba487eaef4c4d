package rds

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"stallbook/server/source/awscall"
	"stallbook/store"
)

// extras bounds each request that comes after the one that matters.
const extras = 3 * time.Second

// Source reads one instance's part of the account's answers. Collect is called
// by one goroutine at a time.
type Source struct {
	account *Account
	ref     store.Ref
	id      string

	resource string // DbiResourceId when it was last seen
	told     told

	mu      sync.Mutex
	balance Balance
}

// NewSource reads the instance with that DBInstanceIdentifier.
func NewSource(a *Account, ref store.Ref, id string) *Source {
	return &Source{account: a, ref: ref, id: id, told: told{}}
}

// Together makes all instances of an account tick at the same moment: one
// request serves them all, and none reads an answer that is old already.
func (s *Source) Together() string { return "rds " + s.account.region }

// Connected keeps the poll at its pace: the account limits its requests by
// itself, and a hydration must not be noticed later because of a throttle.
func (s *Source) Connected() bool { return true }

// SetBalance tells how much burst credit is left, which CloudWatch knows.
func (s *Source) SetBalance(b Balance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Volume != nil {
		s.balance.Volume = b.Volume
	}
	if b.ClassIO != nil {
		s.balance.ClassIO = b.ClassIO
	}
	if b.ClassBytes != nil {
		s.balance.ClassBytes = b.ClassBytes
	}
}

// Collect reads once.
func (s *Source) Collect(ctx context.Context, now time.Time) store.Batch {
	b := store.Batch{Ref: s.ref, Source: "rds", At: now.UTC()}
	snap, err := s.account.Instances(ctx, now)
	if awscall.Denied(err) {
		snap, err = s.account.lookup(ctx, s.id)
	}
	if awscall.Code(err) == "DBInstanceNotFound" || awscall.Code(err) == "DBInstanceNotFoundFault" {
		snap, err = &Snapshot{At: now}, nil
	}
	if err != nil {
		b.Err = awscall.Explain(err, instancesAction, s.where())
		return b
	}
	b.At = snap.At
	in := snap.Find(s.id)
	if in == nil {
		b.Err = s.goneText(snap)
		return b
	}
	class := s.class(ctx, aws.ToString(in.DBInstanceClass), now)
	s.mu.Lock()
	balance := s.balance
	s.mu.Unlock()
	limit := Effective(Volume(in), class, balance)
	b.Samples = append(storageSamples(in), limitSamples(limit)...)
	b.Facts = facts(in, limit, s.account.region)
	b.Notes = notes(in, class)
	s.identify(in, &b)
	s.addEvents(ctx, now, &b)
	s.addParameters(ctx, now, in, &b)
	return b
}

func (s *Source) where() string { return s.id + " in " + s.account.region }

// goneText tells a deleted instance from one that has another name now.
func (s *Source) goneText(snap *Snapshot) string {
	for i := range snap.List {
		if s.resource != "" && aws.ToString(snap.List[i].DbiResourceId) == s.resource {
			return fmt.Sprintf("%s is gone: it is called %s now (same resource id %s); change the configuration to that name", s.id, aws.ToString(snap.List[i].DBInstanceIdentifier), s.resource)
		}
	}
	return fmt.Sprintf("%s is gone: RDS knows no instance of that name in %s; it was deleted, renamed, or the region or account is another", s.id, s.account.region)
}

// identify notices that another server answers to the name: a blue/green switch
// gives the name to the green instance, whose habits are not those of the blue.
func (s *Source) identify(in *types.DBInstance, b *store.Batch) {
	id := aws.ToString(in.DbiResourceId)
	if s.resource != "" && id != "" && id != s.resource {
		b.Restart = true
		b.Events = append(b.Events, store.Event{At: b.At, Ref: s.ref, Kind: "restart", Text: fmt.Sprintf(
			"%s is another instance now: its resource id is %s, it was %s (a blue/green switch, or a restore under the old name); what is usual is learnt anew", s.id, id, s.resource)})
	}
	if id != "" {
		s.resource = id
	}
}

func (s *Source) class(ctx context.Context, name string, now time.Time) Class {
	ctx, cancel := context.WithTimeout(ctx, extras)
	defer cancel()
	return s.account.classes.get(ctx, name, now)
}

func (s *Source) addEvents(ctx context.Context, now time.Time, b *store.Batch) {
	ctx, cancel := context.WithTimeout(ctx, extras)
	defer cancel()
	list, err := s.account.Events(ctx, now)
	if err != nil {
		b.Notes = append(b.Notes, awscall.Explain(err, eventsAction, s.where()))
	}
	for _, e := range list {
		if about(e, s.id) && s.told.first(e) {
			b.Events = append(b.Events, store.Event{At: aws.ToTime(e.Date).UTC(), Ref: s.ref, Kind: "rds", Text: "RDS: " + strings.TrimSpace(aws.ToString(e.Message))})
		}
	}
	s.told.forget(now)
}

func (s *Source) addParameters(ctx context.Context, now time.Time, in *types.DBInstance, b *store.Batch) {
	if len(in.DBParameterGroups) == 0 {
		return
	}
	group := aws.ToString(in.DBParameterGroups[0].DBParameterGroupName)
	ctx, cancel := context.WithTimeout(ctx, extras)
	defer cancel()
	list, err := s.account.Parameters(ctx, group, now)
	if err != nil {
		b.Notes = append(b.Notes, awscall.Explain(err, parametersAction, "group "+group+" of "+s.where()))
	}
	for _, p := range list {
		b.Facts["rds.param."+aws.ToString(p.ParameterName)] = maySay(group, p)
	}
}
