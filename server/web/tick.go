package web

import (
	"encoding/json"
	"math"
	"time"

	"stallbook/store"
)

// tickBody is what a page learns each second. In a snapshot it also holds the
// open incidents; those that come later are events of their own.
type tickBody struct {
	At        time.Time         `json:"at"`
	Instances []tickInstance    `json:"instances"`
	Incidents []store.Incident  `json:"incidents,omitempty"`
	Muted     map[string]string `json:"muted,omitempty"`   // cluster to reason
	History   string            `json:"history,omitempty"` // why no history is kept; absent while it is
}

type tickInstance struct {
	Cluster  string             `json:"cluster"`
	Instance string             `json:"instance"`
	Role     store.Role         `json:"role"`
	State    string             `json:"state"`
	Incident string             `json:"incident,omitempty"`
	AgeS     *float64           `json:"age_s"` // of the newest reading; null: there was none
	Progress *float64           `json:"progress_pct,omitempty"`
	Values   map[string]float64 `json:"values"` // a signal that is absent is unknown
}

// fresh is how old a value may be to stand for the present second.
const fresh = 3 * time.Second

// overview is what a list of instances shows; a page about one instance gets
// every signal of it instead.
var overview = []string{
	"latency.p50_ms", "latency.p99_ms", "latency.rate",
	"disk.iops", "disk.read_iops", "disk.write_iops", "disk.kib_s", "disk.iops_limit", "disk.kib_s_limit",
	"pg.tps", "pg.active", "pg.wait.sync_rep", "pg.wait.wal", "pg.replay_lag_s", "pg.replay_lag_kib",
}

func (s *Server) tick(open []store.Incident, focus store.Ref) []byte {
	return mustJSON(s.tickBody(open, focus))
}

func (s *Server) snapshot(open []store.Incident, focus store.Ref) []byte {
	b := s.tickBody(open, focus)
	b.Incidents = make([]store.Incident, len(open))
	for i := range open {
		b.Incidents[i] = forJSON(open[i])
	}
	return mustJSON(b)
}

// tickBody holds every instance, or focus alone when it is set.
func (s *Server) tickBody(open []store.Incident, focus store.Ref) tickBody {
	now := s.d.Now().UTC()
	body := tickBody{At: now, Instances: []tickInstance{}}
	if h := s.d.History.Health(); !h.OK {
		body.History = h.Message
	}
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			if focus != (store.Ref{}) && ref != focus {
				continue
			}
			if why, muted := s.muted(ref.Cluster, now); muted {
				if body.Muted == nil {
					body.Muted = map[string]string{}
				}
				body.Muted[ref.Cluster] = why
			}
			body.Instances = append(body.Instances, tickOf(v.Instance(ref), open, now, ref == focus))
		}
	})
	return body
}

func tickOf(in *store.Instance, open []store.Incident, now time.Time, all bool) tickInstance {
	st := stateOf(in, open, now)
	out := tickInstance{Cluster: in.Cluster, Instance: in.Ref.Instance, Role: in.Role, State: st.Word,
		Progress: st.Progress, Values: map[string]float64{}}
	if st.Incident != nil {
		out.Incident = st.Incident.ID
	}
	if !st.Never {
		age := st.Age.Seconds()
		out.AgeS = &age
	}
	if !all {
		for _, name := range overview {
			id := store.MustLookup(name)
			if p, ok := in.Last(id, now, fresh); ok && finite(p.V) {
				out.Values[name] = rounded(p.V)
			}
		}
		return out
	}
	for i, sig := range store.Signals() {
		if p, ok := in.Last(store.SignalID(i), now, fresh); ok && sig.Label == "" && finite(p.V) {
			out.Values[sig.Name] = rounded(p.V)
		}
	}
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// rounded keeps six significant figures: more is noise on the wire.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

func (s *Server) muted(cluster string, at time.Time) (string, bool) {
	if s.d.Site.Muted == nil {
		return "", false
	}
	return s.d.Site.Muted(cluster, at)
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("web: a message does not marshal: " + err.Error())
	}
	return b
}
