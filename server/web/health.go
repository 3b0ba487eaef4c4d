package web

import (
	"net/http"
	"strings"

	"stallbook/store"
)

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": s.d.Site.Version})
}

type readyBody struct {
	Ready   bool     `json:"ready"`
	Missing []string `json:"missing"`
}

// readyz is 200 once every source was asked and the history is open. A source
// that answers with an error was asked: the pages can say so.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	missing := []string{}
	s.d.Window.Read(func(v store.View) {
		for _, ref := range v.Refs() {
			var silent []string
			for _, src := range v.Instance(ref).Sources() {
				if src.LastTry.IsZero() {
					silent = append(silent, src.Source)
				}
			}
			if len(silent) > 0 {
				missing = append(missing, "first reading of "+ref.String()+" from "+strings.Join(silent, ", "))
			}
		}
	})
	if h := s.d.History.Health(); !h.OK {
		missing = append(missing, "history: "+h.Message)
	}
	status := http.StatusOK
	if len(missing) > 0 {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, readyBody{len(missing) == 0, missing})
}
