package web

import (
	"bytes"
	"net/http"
	"path"
	"time"

	"stallbook/static"
)

// asset serves a stylesheet, script or icon. Pages link it with its content
// hash, so a browser keeps it for ever; without the hash it asks again.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(pathValue(r, "*"))
	if !static.Has(name) {
		s.nothingHere(w, r)
		return
	}
	b, err := static.FS.ReadFile(name)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", static.MIME(name))
	if static.URL(s.d.Site.BasePath, name) == s.link(r.URL.RequestURI()) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// linked returns the addresses of those assets that were built in.
func (s *Server) linked(names ...string) []string {
	var out []string
	for _, n := range names {
		if u := static.URL(s.d.Site.BasePath, n); u != "" {
			out = append(out, u)
		}
	}
	return out
}
