package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"stallbook/store"
)

const (
	// pageDeadline bounds everything but the event stream, so that a hanging
	// disk or check never piles up requests.
	pageDeadline = 10 * time.Second
	// writeDeadline bounds the sending of one answer to a slow reader.
	writeDeadline = 30 * time.Second

	policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
		"form-action 'self'; frame-ancestors 'none'"
)

// deadline gives the request's context an end.
func deadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Best effort: a test recorder knows no deadlines.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeDeadline))
		ctx, cancel := context.WithTimeout(r.Context(), pageDeadline)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// headers forbids what a page of ours never needs: foreign scripts, inline code,
// being framed, being sniffed, being kept by a shared cache.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "private, no-cache")
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into the error page and one line in the log.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			slog.Error("a page panicked", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.fail(w, r, fmt.Errorf("panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}

// ownHost refuses a Host header that is neither loopback nor configured: a page
// elsewhere could otherwise reach us through a name that it lets point here.
// The probes of an orchestrator come by address and give nothing away.
func (s *Server) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		probe := r.URL.Path == s.link("/healthz") || r.URL.Path == s.link("/readyz")
		if !probe && !isLoopback(bareHost(r.Host)) && !s.hosts[bareHost(r.Host)] {
			s.refuseHost(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuseHost says why in one sentence and shows nothing else: the frame of a page
// would tell a stranger how many incidents are open.
func (s *Server) refuseHost(w http.ResponseWriter, r *http.Request) {
	says := fmt.Sprintf("stallbook does not answer to the name %q. Open it by a loopback name, or set public_url in its configuration to the address people use.", bareHost(r.Host))
	if s.wantsJSON(r) {
		s.fail(w, r, &store.Problem{Code: "forbidden", Message: says})
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, says+"\n") // the stranger may have left
}

// sameOrigin refuses changes that another site's page asks a browser for.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.origin.Check(r); err != nil {
			s.fail(w, r, &store.Problem{Code: "forbidden", Cause: err,
				Message: "This request came from a page of another site, so nothing was done. Press the button on stallbook's own page."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func acceptedHosts(site Site) map[string]bool {
	out := map[string]bool{}
	for _, h := range site.Hosts {
		out[bareHost(h)] = true
	}
	if u, err := url.Parse(site.PublicURL); err == nil && u.Host != "" {
		out[bareHost(u.Host)] = true
	}
	return out
}

// bareHost is a Host header without port, brackets and trailing dot.
func bareHost(h string) string {
	if host, _, err := net.SplitHostPort(h); err == nil {
		h = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(h, "[]"), "."))
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
