package server

import (
	"fmt"

	"stallbook/store"
)

// dsn is where a check step of ref connects. The error is for a person.
func (s *service) dsn(ref store.Ref) (string, error) {
	if c := s.cfg.Load().Cluster(ref.Cluster); c != nil {
		for _, in := range c.Instances {
			if in.Name == ref.Instance {
				return in.Postgres.Reveal(), nil
			}
		}
	}
	if dsn, ok, err := s.fleet.dsn(ref); ok {
		return dsn, err
	}
	for _, f := range s.o.Feeds {
		for _, r := range f.Refs {
			if r == ref {
				return "", &store.Problem{Code: "unavailable", Message: ref.String() + " is a recording: there is no server to ask. The checks run on clusters that are polled, as in demo --live."}
			}
		}
	}
	return "", &store.Problem{Code: "not_found", Message: fmt.Sprintf("no instance %s is configured", ref)}
}
