package server

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"stallbook/server/config"
	"stallbook/server/discover"
	"stallbook/server/source/awscall"
	"stallbook/server/source/cloudwatch"
	"stallbook/server/source/postgres"
	"stallbook/server/source/rds"
	"stallbook/store"
)

// notFoundYet stands for the instances of a cluster of which none is known: the
// page then has a place to say why.
const notFoundYet = "instances-not-found-yet"

// herd is one cluster that is found through the RDS API.
type herd struct {
	name string
	cfg  *config.RDS
	at   *place
	book *discover.Book
}

// member is one of its instances. What belongs to each group of sources is
// compared apart: a new resource id must not cut the connection to PostgreSQL.
type member struct {
	rds  *config.RDS
	at   *place
	api  any // what the rds loop depends on
	base any // what postgres, latency and cloudwatch depend on
	src  *rds.Source
	in   discover.Instance
	os   *stream // where its Enhanced Monitoring is; kept when everything else changes
}

// gather makes a herd of each rds cluster of the configuration and keeps those
// that did not change, with what they found.
func (f *fleet) gather(cfg *config.Config) (map[string]*herd, error) {
	herds := map[string]*herd{}
	for i := range cfg.Clusters {
		c := &cfg.Clusters[i]
		if c.RDS == nil {
			continue
		}
		if h := f.herds[c.Name]; h != nil && reflect.DeepEqual(h.cfg, c.RDS) {
			herds[c.Name] = h
			continue
		}
		at, err := f.places.get(f.ctx, placeOf(c.RDS))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		herds[c.Name] = &herd{c.Name, c.RDS, at, discover.NewBook(discover.Want{Instances: c.RDS.Instances, Cluster: c.RDS.Cluster, Tags: c.RDS.Tags})}
	}
	return herds, nil
}

// discover looks for instances until ctx ends.
func (f *fleet) discover(ctx context.Context) {
	tick := time.NewTicker(rds.Every)
	defer tick.Stop()
	for {
		f.look(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look asks once for every herd. A failure changes nothing; the rds loops of the
// instances report it, or the stand-in of a herd without any.
func (f *fleet) look(ctx context.Context, now time.Time) {
	for _, h := range f.allHerds() {
		snap, err := h.at.rds.Recent(ctx, now)
		if ctx.Err() != nil {
			return
		}
		f.turn.Lock()
		if err == nil {
			h.book.Update(now, snap.List)
		}
		empty := len(h.book.List()) == 0
		f.turn.Unlock()
		if empty {
			f.sayNoneFound(h, now, err)
		}
	}
	f.turn.Lock()
	defer f.turn.Unlock()
	wanted := f.wantedMembers()
	f.stopMembers(wanted)
	for _, ref := range f.refs() {
		if f.herds[ref.Cluster] != nil && wanted[ref] == nil && wanted[store.Ref{Cluster: ref.Cluster, Instance: notFoundYet}] == nil {
			f.window.Remove(ref) // the history still had it
		}
	}
	if err := f.followMembers(wanted); err != nil {
		f.log.Error("an instance can't be read", "error", err)
	}
}

func (f *fleet) allHerds() []*herd {
	f.turn.Lock()
	defer f.turn.Unlock()
	return slices.Collect(maps.Values(f.herds))
}

func (f *fleet) sayNoneFound(h *herd, now time.Time, err error) {
	says := "no PostgreSQL instance in " + h.at.Region + " belongs to it: check the DB cluster identifier or the tags, and the account"
	if err != nil {
		says = awscall.Explain(err, "rds:DescribeDBInstances", "cluster "+h.name+" in "+h.at.Region)
	}
	f.sink(store.Batch{Ref: store.Ref{Cluster: h.name, Instance: notFoundYet}, Source: "rds", At: now.UTC(), Err: says})
}

// members lists what is to be read now.
func (f *fleet) wantedMembers() map[store.Ref]*member {
	out := map[store.Ref]*member{}
	for _, h := range f.herds {
		list := h.book.List()
		for _, in := range list {
			out[store.Ref{Cluster: h.name, Instance: in.ID}] = &member{
				rds: h.cfg, at: h.at, in: in, api: []any{placeOf(h.cfg), in.ID},
				base: []any{h.cfg, in.Host, in.Port, in.Gone != "", in.Storage},
			}
		}
		if ref := (store.Ref{Cluster: h.name, Instance: notFoundYet}); len(list) == 0 {
			f.window.Declare(ref, "rds", rds.Every)
			out[ref] = &member{rds: h.cfg, at: h.at}
		}
	}
	return out
}

// followMember brings the sources of one instance in step with what is known of it.
func (f *fleet) followMember(ref store.Ref, m *member) error {
	old := f.members[ref]
	if old == nil {
		old = &member{}
	}
	m.src, m.os = old.src, old.os
	f.members[ref] = m
	if m.api != nil && !reflect.DeepEqual(old.api, m.api) {
		f.group.RemoveSource(ref, "rds")
		m.src = rds.NewSource(m.at.rds, ref, m.in.ID)
		f.setAPI(ref, m.src)
		if err := f.add(ref, "rds", m.src, rds.Every); err != nil {
			return err
		}
	}
	if err := f.followStream(ref, m); err != nil {
		return err
	}
	if !reflect.DeepEqual(old.base, m.base) {
		for _, name := range []string{"postgres", "latency", "cloudwatch"} {
			f.group.RemoveSource(ref, name)
			if name != "postgres" { // which is always declared again
				f.window.RemoveSource(ref, name)
			}
		}
		if err := f.startMember(ref, m); err != nil {
			return err
		}
	}
	return nil
}

// startMember begins to read PostgreSQL once there is an address.
func (f *fleet) startMember(ref store.Ref, m *member) error {
	if m.in.Host == "" || m.in.Gone != "" {
		return nil
	}
	dsn := m.rds.Login.DSN(m.in.Host, m.in.Port)
	pg, err := postgres.New(postgres.Options{Ref: ref, DSN: dsn.Reveal(), Databases: databases(m.rds.Databases), Password: m.password()})
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	l, err := latencyOf(dsn, m.rds.Latency, pg)
	if err != nil {
		return fmt.Errorf("%s: latency: %w", ref, err)
	}
	return f.addAll(ref, append(l, named{"postgres", pg, everySecond},
		f.metricsOf(ref, m.at, cloudwatch.OfInstance(m.in.ID, m.in.Storage == "gp2"), m.rds.Latency.CloudWatch)))
}

// password makes a token for each connection, or nothing where the DSN has all.
func (m *member) password() func(context.Context) (string, error) {
	if !m.rds.Login.IAMAuth {
		return nil
	}
	return discover.Token(m.at.cfg, m.in, m.rds.Login.User)
}

// tokenTime bounds the making of a token for a check; with cached credentials it
// takes no request at all.
const tokenTime = 3 * time.Second

// dsn is where a check on a member connects; ok is false when ref is none.
func (f *fleet) dsn(ref store.Ref) (dsn string, ok bool, err error) {
	f.turn.Lock()
	m := f.members[ref]
	f.turn.Unlock()
	if m == nil {
		return "", false, nil
	}
	if m.in.Host == "" || m.in.Gone != "" {
		return "", true, &store.Problem{Code: "unavailable", Message: ref.String() + " has no address now: RDS does not list it, or it is being created."}
	}
	login := m.rds.Login
	if make := m.password(); make != nil {
		ctx, cancel := context.WithTimeout(f.ctx, tokenTime)
		defer cancel()
		token, err := make(ctx)
		if err != nil {
			return "", true, &store.Problem{Code: "unavailable", Message: err.Error()}
		}
		login.Password = config.NewSecret(token, "")
	}
	return login.DSN(m.in.Host, m.in.Port).Reveal(), true, nil
}
