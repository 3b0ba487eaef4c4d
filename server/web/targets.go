package web

import (
	"stallbook/runbooks"
	"stallbook/store"
)

// targets is where the steps of a runbook run, seen from one instance.
type targets struct {
	here    store.Ref
	primary store.Ref // zero when no instance says that it is one
	standby store.Ref // here if it is one, else the cluster's only one; zero otherwise
}

func (s *Server) targets(ref store.Ref) targets {
	t := targets{here: ref}
	s.d.Window.Read(func(v store.View) {
		if p := v.Primary(ref.Cluster); p != nil {
			t.primary = p.Ref
		}
		// With two that say they are the primary, the page is about the one asked for.
		if in := v.Instance(ref); in != nil && in.Role == store.RolePrimary {
			t.primary = ref
		}
		var standbys []store.Ref
		for _, r := range v.Refs() {
			if r.Cluster == ref.Cluster && v.Instance(r).Role == store.RoleStandby {
				standbys = append(standbys, r)
				if r == ref {
					t.standby = r
				}
			}
		}
		if t.standby == (store.Ref{}) && len(standbys) == 1 {
			t.standby = standbys[0]
		}
	})
	return t
}

// of is where a step runs; ok is false when nobody plays that part.
func (t targets) of(on string) (ref store.Ref, ok bool) {
	switch on {
	case runbooks.OnPrimary:
		ref = t.primary
	case runbooks.OnStandby:
		ref = t.standby
	default:
		ref = t.here
	}
	return ref, ref != store.Ref{}
}
