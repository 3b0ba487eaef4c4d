package web

import (
	"encoding/json"
	"io"

	"stallbook/store"
)

// WriteIncidents writes {"incidents":[...]} in the shape of the API, for the
// commands that print what the API would answer.
func WriteIncidents(w io.Writer, list []store.Incident) error {
	body := incidentsBody{Incidents: make([]store.Incident, len(list))}
	for i := range list {
		body.Incidents[i] = forJSON(list[i])
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(body)
}
