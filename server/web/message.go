package web

import (
	"net/http"

	"stallbook/views"
)

// failPage is an error for a person: what failed and where to go on.
func (s *Server) failPage(w http.ResponseWriter, r *http.Request, f failure) {
	head := map[int]string{
		http.StatusBadRequest: "This request could not be read", http.StatusNotFound: "Not found",
		http.StatusForbidden: "Not allowed", http.StatusConflict: "Not possible now",
		http.StatusMethodNotAllowed: "Not possible here", http.StatusServiceUnavailable: "Not available now",
		http.StatusGatewayTimeout: "This took too long",
	}[f.Status]
	if head == "" {
		head = "This page could not be made"
	}
	s.show(w, r, f.Status, s.frame(r, head, ""), views.Failure(head, f.Message, views.Crumb{Label: "To the fleet", Href: s.link("/")}))
}
