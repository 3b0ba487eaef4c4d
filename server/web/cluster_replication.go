package web

import (
	"fmt"
	"time"

	"stallbook/store"
	"stallbook/views"
)

var (
	sigSyncRequired  = store.MustLookup("pg.sync.required")
	sigSyncStreaming = store.MustLookup("pg.sync.streaming")
	sigReceiverUp    = store.MustLookup("pg.walreceiver_up")
	sigLagKiB        = store.MustLookup("pg.replay_lag_kib")
	sigReceive       = store.MustLookup("pg.receive_kib_s")
	sigReplay        = store.MustLookup("pg.replay_kib_s")
	sigWALKiB        = store.MustLookup("pg.wal_kib_s")
)

// replication draws who streams from whom and what a commit waits for.
func (s *Server) replication(v *views.Cluster, list []glance, now time.Time) {
	states := map[store.Ref]InstanceState{}
	for _, g := range list {
		states[g.ref] = g.state
	}
	s.d.Window.Read(func(view store.View) {
		primary := view.Primary(list[0].ref.Cluster)
		if primary != nil {
			n := s.node(primary.Ref, states)
			n.Lines = primaryLines(primary, now)
			v.Primary = &n
			v.Sync = syncSays(primary, now)
		}
		for _, ref := range view.Refs() {
			in := view.Instance(ref)
			if ref.Cluster != list[0].ref.Cluster || primary != nil && ref == primary.Ref {
				continue
			}
			n := s.node(ref, states)
			n.Lines, n.Broken = standbyLines(in, now)
			v.Nodes = append(v.Nodes, n)
		}
	})
}

func (s *Server) node(ref store.Ref, states map[store.Ref]InstanceState) views.Node {
	return views.Node{Name: ref.Instance, Href: s.instanceLink(ref), State: stateChip(states[ref])}
}

func primaryLines(in *store.Instance, now time.Time) []string {
	lines := []string{"seen as primary since " + when(in.RoleSince, now)}
	src := in.Sources()
	if r := readNow(in, sigWALKiB, src, now); r.ok {
		lines = append(lines, "writes "+store.Quantity(r.v, "KiB/s")+" of WAL")
	}
	if r := readNow(in, sigWaitRep, src, now); r.ok && r.v > 0 {
		lines = append(lines, plural(int(r.v), "commit waits", "commits wait")+" for a standby")
	}
	return lines
}

// syncSays is what a commit waits for.
func syncSays(in *store.Instance, now time.Time) string {
	src := in.Sources()
	required, streaming := readNow(in, sigSyncRequired, src, now), readNow(in, sigSyncStreaming, src, now)
	switch {
	case !required.ok:
		return "whether commits wait for a standby is not known: " + required.why
	case required.v == 0:
		return "commits wait for no standby"
	case !streaming.ok:
		return fmt.Sprintf("a commit waits for %s", plural(int(required.v), "standby", "standbys"))
	}
	can := counted(int(streaming.v))
	if streaming.v == 0 {
		can = "none"
	}
	return fmt.Sprintf("a commit waits for %s, %s can acknowledge", plural(int(required.v), "standby", "standbys"), can)
}

// standbyLines says whether a standby streams, how fast it replays and how far it
// is behind. Broken is a receiver that is known to be down, never one not heard of.
func standbyLines(in *store.Instance, now time.Time) (lines []string, broken bool) {
	src := in.Sources()
	role := string(in.Role)
	if role == "" {
		role = "role not known"
	}
	switch up := readNow(in, sigReceiverUp, src, now); {
	case !up.ok:
		lines = append(lines, role+", whether it streams is not known: "+up.why)
	case up.v == 0:
		lines, broken = append(lines, role+", receives no WAL"), true
	default:
		l := role + ", streaming"
		if r := readNow(in, sigReceive, src, now); r.ok {
			l += " at " + store.Quantity(r.v, "KiB/s")
		}
		lines = append(lines, l)
	}
	if r := readNow(in, sigReplay, src, now); r.ok {
		lines = append(lines, "replays "+store.Quantity(r.v, "KiB/s"))
	}
	lag := readNow(in, sigLagKiB, src, now)
	if lag.ok {
		l := "left to replay " + store.Quantity(lag.v, "KiB")
		if sec := readNow(in, sigLagS, src, now); sec.ok {
			q := qty(sec.v, "s")
			l += ", " + q.Num
			if q.Unit != "" {
				l += " " + q.Unit
			}
			l += " behind"
		}
		lines = append(lines, l)
	} else {
		lines = append(lines, "lag not known: "+lag.why)
	}
	return lines, broken
}
