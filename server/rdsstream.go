package server

import (
	"sync"
	"time"

	"stallbook/server/source/enhanced"
	"stallbook/store"
	"stallbook/store/em"
)

// stream is where an instance's Enhanced Monitoring is found now: a blue/green
// switch gives the same name another resource, and an operator another interval.
type stream struct {
	mu     sync.Mutex
	target enhanced.Target
}

func (s *stream) get() enhanced.Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.target
}

func (s *stream) set(t enhanced.Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = t
}

// followStream tells the source of an instance's disk where to read, and starts
// it at the first sight of the instance.
func (f *fleet) followStream(ref store.Ref, m *member) error {
	if m.api == nil {
		return nil // stands for instances that are not known yet
	}
	target := enhanced.Target{Stream: m.in.Resource, Every: time.Duration(m.in.Interval) * time.Second}
	if m.os != nil {
		m.os.set(target)
		return nil
	}
	m.os = &stream{target: target}
	return f.add(ref, "enhanced", enhanced.New(enhanced.Options{
		Ref: ref, ID: m.in.ID, Client: m.at.logs, Limiter: m.at.turns, Target: m.os.get, Since: f.readUntil(ref),
	}), enhanced.Every)
}

// readUntil is the newest second of the disk that the history gave back, so that
// a restart does not read and judge the last minutes again.
func (f *fleet) readUntil(ref store.Ref) (newest time.Time) {
	f.window.Read(func(v store.View) {
		in := v.Instance(ref)
		if in == nil {
			return
		}
		for _, s := range in.All(store.MustLookup("disk.read_iops")) {
			if p, ok := s.Last(); ok && s.Source == em.Source {
				newest = p.At
			}
		}
	})
	return newest
}
