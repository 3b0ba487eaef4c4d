package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Server answers the pages and the API over HTTP.
type Server struct {
	d         Deps
	hosts     map[string]bool // accepted Host headers besides loopback, lower case, without port
	origin    *http.CrossOriginProtection
	open      openIncidents
	fleetHTML onceASecond // drawn once a second for all readers
	handler   http.Handler
}

// New checks that nothing the pages need is missing and builds the routes. The
// error names the missing or malformed part; it is a fault of the wiring or of
// the configured public URL.
func New(d Deps) (*Server, error) {
	if err := complete(d); err != nil {
		return nil, err
	}
	s := &Server{d: d, hosts: acceptedHosts(d.Site), origin: http.NewCrossOriginProtection()}
	if err := s.trust(d.Site.PublicURL); err != nil {
		return nil, err
	}
	var err error
	s.handler, err = s.routes()
	return s, err
}

// Handler is the whole site below Site.BasePath.
func (s *Server) Handler() http.Handler { return s.handler }

func complete(d Deps) error {
	for name, missing := range map[string]bool{
		"Window": d.Window == nil, "Matcher": d.Matcher == nil, "Incidents": d.Incidents == nil,
		"History": d.History == nil, "Library": d.Library == nil, "Runner": d.Runner == nil,
		"Hub": d.Hub == nil, "Now": d.Now == nil,
	} {
		if missing {
			return errors.New("web: Deps." + name + " is not set")
		}
	}
	if b := d.Site.BasePath; b != "" && (!strings.HasPrefix(b, "/") || strings.HasSuffix(b, "/")) {
		return errors.New(`web: base path "` + b + `" must start with a slash and not end with one`)
	}
	return nil
}

// trust lets forms through that come from the public address, also when a proxy
// in front of us rewrites the Host header.
func (s *Server) trust(public string) error {
	if public == "" {
		return nil
	}
	u, err := url.Parse(public)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return errors.New(`web: public URL "` + public + `" is not of the form https://name`)
	}
	return s.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host)
}

// link returns the address of one of our own pages for a browser.
func (s *Server) link(path string) string { return s.d.Site.BasePath + path }
