package web

import (
	"slices"
	"strings"
	"time"

	"stallbook/store"
)

// The signals a row of the fleet shows.
var (
	sigP50     = store.MustLookup("latency.p50_ms")
	sigP99     = store.MustLookup("latency.p99_ms")
	sigIOPS    = store.MustLookup("disk.iops")
	sigKiBS    = store.MustLookup("disk.kib_s")
	sigIOKiB   = store.MustLookup("disk.io_kib")
	sigIOLimit = store.MustLookup("disk.iops_limit")
	sigWaitWAL = store.MustLookup("pg.wait.wal")
	sigWaitRep = store.MustLookup("pg.wait.sync_rep")
	sigLagS    = store.MustLookup("pg.replay_lag_s")
)

// glance is what the Window holds of one instance for a row, copied out while
// it was held for reading; the row is drawn afterwards.
type glance struct {
	ref     store.Ref
	role    store.Role
	state   InstanceState
	sources []store.SourceStatus
	values  map[store.SignalID]reading
	minute  []store.Point // I/Os of the last minute
	join    time.Duration
	limit   float64 // I/Os a second; 0: not known
}

// reading is the present value of a signal, or why there is none.
type reading struct {
	v   float64
	ok  bool
	why string
}

// glanceAt copies what a row needs. The Window is held: it must be quick.
func glanceAt(in *store.Instance, open []store.Incident, now time.Time) glance {
	g := glance{ref: in.Ref, role: in.Role, state: stateOf(in, open, now), sources: in.Sources(), values: map[store.SignalID]reading{}}
	for _, id := range []store.SignalID{sigP50, sigP99, sigIOPS, sigKiBS, sigIOKiB, sigWaitWAL, sigWaitRep, sigLagS} {
		g.values[id] = readNow(in, id, g.sources, now)
	}
	if s := in.Get(sigIOLimit, ""); s != nil {
		if p, ok := s.Last(); ok { // a limit is learnt seldom: its age says nothing
			g.limit = p.V
		}
	}
	if s := in.Get(sigIOPS, ""); s != nil {
		g.minute = s.Points(now.Add(-time.Minute), now)
		g.join = joinOf(everyOf(g.sources, s.Source))
	}
	return g
}

// readNow is a signal's present value: not older than five seconds, or than two
// readings of the source it comes from, if that reads more seldom.
func readNow(in *store.Instance, id store.SignalID, sources []store.SourceStatus, now time.Time) reading {
	s := in.Get(id, "")
	if s == nil {
		return reading{why: whyNever(in, id, sources)}
	}
	p, ok := s.Last()
	limit := max(5*time.Second, 2*everyOf(sources, s.Source)+time.Second)
	if !ok || now.Sub(p.At) > limit {
		return reading{why: "no reading for " + lasted(now.Sub(p.At))}
	}
	return reading{v: p.V, ok: true}
}

func everyOf(sources []store.SourceStatus, name string) time.Duration {
	for _, s := range sources {
		if s.Source == name {
			return s.Every
		}
	}
	return 0
}

// whyNever says why a signal was never read on an instance.
func whyNever(in *store.Instance, id store.SignalID, sources []store.SourceStatus) string {
	wanted := id.Info().Sources
	if id == sigLagS && in.Role == store.RolePrimary {
		return "a primary replays nothing"
	}
	if !in.HasSource(wanted) {
		return "no source here gives it: " + remedy(wanted)
	}
	for _, s := range sources {
		for _, w := range wanted {
			if s.Source == w && s.Message != "" {
				return s.Source + ": " + s.Message
			}
		}
	}
	if hidden := blind(sources); hidden != "" && slices.Contains(wanted, "postgres") {
		return hidden
	}
	return "nothing read yet"
}

// blind is what the role may not see of PostgreSQL, with the GRANT that mends it;
// "" when it sees all.
func blind(sources []store.SourceStatus) string {
	for _, s := range sources {
		if s.Source != "postgres" {
			continue
		}
		for _, n := range s.Notes {
			if strings.Contains(n, "GRANT ") {
				return n
			}
		}
	}
	return ""
}

// remedy is the configuration that would bring one of these sources.
func remedy(sources []string) string {
	for _, s := range sources {
		if words := remedies[s]; words != "" {
			return words
		}
	}
	return "none of stallbook's sources"
}

// remedies names what to configure for each source.
var remedies = map[string]string{
	"nodeexporter": "add node_exporter: or rds: to the instance",
	"enhanced":     "add rds: to the cluster",
	"cloudwatch":   "add rds: to the cluster",
	"rds":          "add rds: to the cluster",
	"postgres":     "add postgres: to the instance",
	"latency":      "add latency: to the instance or the cluster",
	"config":       "add disk: {iops_limit, mib_s_limit} to the instance",
}
