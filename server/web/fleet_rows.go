package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

// atLimit is the share of a limit from which a volume counts as being at it.
const atLimit = 0.95

// stateRank orders states by how much they matter to someone who looks.
func stateRank(word string) int {
	switch word {
	case StateOK:
		return 0
	case StateHydrating:
		return 1
	case StateNoData:
		return 4
	}
	return map[store.Severity]int{store.Risk: 2, store.Degraded: 3, store.Stall: 5, store.Outage: 6}[store.Severity(word)]
}

// byTrouble sorts worst first, then by cluster and name.
func byTrouble(list []glance) {
	slices.SortFunc(list, func(a, b glance) int {
		return cmp.Or(stateRank(b.state.Word)-stateRank(a.state.Word),
			strings.Compare(a.ref.Cluster, b.ref.Cluster), strings.Compare(a.ref.Instance, b.ref.Instance))
	})
}

// row draws one instance. With names alone, an instance whose name does not say
// its cluster is shown with it.
func (s *Server) row(g glance, now time.Time) views.FleetRow {
	r := views.FleetRow{
		ID: domID("row", g.ref), Class: rowClass(g.state.Word), Name: shortName(g.ref), Href: s.instanceLink(g.ref),
		Role: string(g.role), State: stateChip(g.state),
		P50: g.qty(sigP50), P99: g.qty(sigP99), IOPS: g.qty(sigIOPS), Throughput: g.qty(sigKiBS), MeanIO: g.qty(sigIOKiB),
		Waits: g.waits(), Lag: g.qty(sigLagS), Age: newestAge(g, now),
	}
	if g.limit > 0 {
		r.Limit = qty(g.limit, "")
	} else {
		r.Limit = absent("limit not known: " + remedies["config"])
	}
	if g.state.Word != StateNoData {
		r.Spark = sparkOf(sparkIn{points: g.minute, from: now.Add(-time.Minute), to: now, join: g.join,
			limit: g.limit, hot: atLimit * g.limit, calm: rowClass(g.state.Word) == "fine"})
	}
	if io := g.values[sigIOPS]; io.ok && g.limit > 0 {
		r.IOPS.Why = shareOf(io.v, g.limit)
		r.IOPS.Loud = io.v >= atLimit*g.limit
	}
	if lag := g.values[sigLagS]; lag.ok && lag.v >= 10 {
		r.Lag.Loud = true
	}
	return r
}

func (g glance) qty(id store.SignalID) views.Qty {
	r := g.values[id]
	if !r.ok || g.state.Word == StateNoData {
		return absent(r.why) // never the last number of an instance that is silent
	}
	return qty(r.v, id.Info().Unit)
}

// waits is how many sessions wait for WAL, or for a standby if that is more.
func (g glance) waits() views.Qty {
	wal, rep := g.values[sigWaitWAL], g.values[sigWaitRep]
	switch {
	case g.state.Word == StateNoData || !wal.ok && !rep.ok:
		return absent(cmp.Or(wal.why, rep.why))
	case rep.ok && rep.v > 0 && rep.v >= wal.v:
		return views.Qty{Num: store.Number(rep.v), Unit: "sync", Why: "commits that wait for a synchronous standby", Loud: true}
	case !wal.ok:
		return views.Qty{Num: store.Number(rep.v), Why: "commits that wait for a synchronous standby"}
	}
	return views.Qty{Num: store.Number(wal.v), Why: "sessions that wait for WAL", Loud: wal.v >= 4}
}

func rowClass(state string) string {
	switch state {
	case string(store.Outage), string(store.Stall):
		return "bad"
	case string(store.Degraded), string(store.Risk):
		return "warn"
	case StateNoData, StateHydrating:
		return "mute"
	}
	return "fine"
}

func newestAge(g glance, now time.Time) views.Age {
	if g.state.Never {
		return views.Age{Text: "never"}
	}
	return ageOf(now.Add(-g.state.Age), now, true, "")
}

// shortName leaves the cluster out where the instance's name already says it.
func shortName(ref store.Ref) string {
	if strings.HasPrefix(ref.Instance, ref.Cluster) {
		return ref.Instance
	}
	return ref.String()
}

func domID(kind string, ref store.Ref) string {
	return kind + "-" + strings.NewReplacer("/", "--", " ", "_").Replace(ref.String())
}
