package web

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
)

// part answers with a piece of a page.
func (s *Server) part(w http.ResponseWriter, r *http.Request, c templ.Component) {
	var buf bytes.Buffer
	if err := c.Render(r.Context(), &buf); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = buf.WriteTo(w) // the reader may have left
}
