package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"stallbook/server/live"
	"stallbook/store"
)

const (
	heartbeat = 10 * time.Second
	// retryHint is when a page that lost the stream tries again.
	retryHint = 2 * time.Second
	// sendDeadline ends a connection whose reader takes nothing any more.
	sendDeadline = 10 * time.Second
)

// events is the one stream of an open page: a snapshot on every connection,
// then tick, incident and run as they come. With ?cluster= and ?instance= the
// snapshot and the ticks hold that instance alone, with all its signals.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	focus := store.Ref{Cluster: r.URL.Query().Get("cluster"), Instance: r.URL.Query().Get("instance")}
	if focus != (store.Ref{}) {
		if _, err := s.known(focus); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	// Subscribed before the snapshot is taken: what changes in between comes twice
	// rather than never.
	sub := s.d.Hub.Subscribe(nil)
	defer sub.Close()
	open, err := s.openNow(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	first := s.snapshot(open, focus)

	out := stream{w: w, rc: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold the events back
	if out.send("retry: %d\n\n", retryHint.Milliseconds()) != nil || out.event("snapshot", first) != nil {
		return
	}
	s.follow(r, out, sub, focus)
}

// follow sends what the hub hands out until the reader leaves, the server ends
// or the hub drops a reader that was too slow.
func (s *Server) follow(r *http.Request, out stream, sub *live.Subscription, focus store.Ref) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			err = out.send(": still here\n\n")
		case m, ok := <-sub.C():
			if !ok {
				return
			}
			if m.Event == "tick" && focus != (store.Ref{}) {
				m.Data = s.focused(r, focus)
			}
			err = out.event(m.Event, m.Data)
		}
		if err != nil {
			return
		}
	}
}

func (s *Server) focused(r *http.Request, focus store.Ref) []byte {
	open, err := s.openNow(r.Context())
	if err != nil {
		return nil // the page keeps what it has and its age goes on counting
	}
	return s.tick(open, focus)
}

type stream struct {
	w  io.Writer
	rc *http.ResponseController
}

func (o stream) event(name string, data []byte) error {
	if data == nil {
		return nil
	}
	return o.send("event: %s\ndata: %s\n\n", name, data)
}

func (o stream) send(format string, args ...any) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(sendDeadline)) // a test recorder has none
	if _, err := fmt.Fprintf(o.w, format, args...); err != nil {
		return err
	}
	return o.rc.Flush()
}

// Tick tells the open pages that a new second was judged. It is called once a
// tick, after the matcher; the message is rendered once for all readers.
func (s *Server) Tick(ctx context.Context) {
	if s.d.Hub.Readers() == 0 {
		return
	}
	open, err := s.openNow(ctx)
	if err != nil {
		return // the list is the history's to mend; the next tick tries again
	}
	s.d.Hub.Publish(live.Message{Event: "tick", Data: s.tick(open, store.Ref{})})
}

// Changed tells the open pages that an incident opened, changed or closed.
func (s *Server) Changed(in store.Incident) {
	s.open.forget()
	s.publish("incident", forJSON(in))
}

// Ran tells the open pages that a step was run.
func (s *Server) Ran(run store.StepRun) { s.publish("run", runJSON(run)) }

func (s *Server) publish(event string, v any) {
	s.d.Hub.Publish(live.Message{Event: event, Data: mustJSON(v)})
}
