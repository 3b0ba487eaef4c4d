package web

import (
	"net/http"
	"net/url"
	"strings"

	"stallbook/views"
)

// demoBar says that the page shows a demo, with its buttons when it has any.
func (s *Server) demoBar() *views.DemoBar {
	if !strings.HasPrefix(s.d.Site.Mode, "demo") {
		return nil
	}
	bar := &views.DemoBar{Says: "These clusters are recordings of real stalls, played as if they happened now.", Action: s.link("/demo")}
	if s.d.Demo == nil {
		return bar
	}
	bar.Says = "This primary and standby run on your machine. The buttons stall them, and nothing else."
	for _, a := range s.d.Demo.Actions() {
		bar.Buttons = append(bar.Buttons, views.DemoButton{ID: a.ID, Title: a.Title, Says: a.Says, Busy: a.Busy})
	}
	return bar
}

// demoAction is a button of the bar. It leads back to the page it was pressed on.
func (s *Server) demoAction(w http.ResponseWriter, r *http.Request) {
	if s.d.Demo == nil {
		s.fail(w, r, notFound("Only a demo of live servers has buttons that stall them: stallbook demo --live."))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	id := r.PostFormValue("action")
	known := false
	for _, a := range s.d.Demo.Actions() {
		known = known || a.ID == id
	}
	if !known {
		s.fail(w, r, invalid("action: the demo has no button "+quoted(id)+"."))
		return
	}
	if err := s.d.Demo.Do(r.Context(), id); err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
}

// backTo is the page of ours that a form was sent from, else the fleet.
func (s *Server) backTo(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host || !strings.HasPrefix(u.Path, s.link("/")) || strings.HasPrefix(u.Path, "//") {
		return s.link("/")
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}
