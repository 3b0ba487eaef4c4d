package awsfake

import (
	"fmt"
	"net/http"
	"time"
)

// Kind is a way in which AWS fails.
type Kind int

// The kinds.
const (
	Throttled Kind = iota // rate exceeded; the SDK tries again by itself
	Denied                // the role lacks the IAM action; the answer names it
	Missing               // the log stream, instance or group does not exist
	Broken                // 503 with a page that is not of the protocol
	Cut                   // the connection ends in the middle of the answer
	Slow                  // the right answer, late
	Empty                 // a page without events that has a token for the next
)

// Fault is one way to fail.
type Fault struct {
	Kind  Kind
	Delay time.Duration   // before the answer, whatever it is
	Times int             // how many requests it hits; 0 = until Heal
	Only  func(Call) bool // which requests; nil = all
}

// OnStream picks requests for one log stream.
func OnStream(name string) func(Call) bool {
	return func(c Call) bool { return c.Text("logStreamName") == name }
}

// OnGroup picks requests for one parameter group.
func OnGroup(name string) func(Call) bool {
	return func(c Call) bool { return c.Text("DBParameterGroupName") == name }
}

type armed struct {
	action string
	Fault
	left int
}

// Fail makes an action fail from now on. Of several faults that fit, the one
// set first counts.
func (s *Server) Fail(action string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &armed{action, f, f.Times})
}

// Heal ends all faults and quotas of an action.
func (s *Server) Heal(action string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.quotas, action)
	kept := s.faults[:0]
	for _, f := range s.faults {
		if f.action != action {
			kept = append(kept, f)
		}
	}
	s.faults = kept
}

// quota is requests a second, as AWS grants them to an account and region.
type quota struct {
	perSecond, burst, left float64
	at                     time.Time
}

// Quota throttles what goes beyond so many requests a second.
func (s *Server) Quota(action string, perSecond, burst float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quotas[action] = &quota{perSecond, burst, burst, time.Now()}
}

func (q *quota) spend(now time.Time) bool {
	q.left = min(q.burst, q.left+now.Sub(q.at).Seconds()*q.perSecond)
	q.at = now
	if q.left < 1 {
		return false
	}
	q.left--
	return true
}

// fault finds the fault that hits a call.
func (s *Server) fault(c Call) (Fault, bool) {
	for _, f := range s.faults {
		if f.action != c.Action || f.Only != nil && !f.Only(c) || f.Times > 0 && f.left == 0 {
			continue
		}
		f.left--
		return f.Fault, true
	}
	if q := s.quotas[c.Action]; q != nil && !q.spend(c.At) {
		return Fault{Kind: Throttled}, true
	}
	return Fault{}, false
}

func (f Fault) answer(c Call) answer {
	switch f.Kind {
	case Throttled:
		return failure(http.StatusBadRequest, c.proto.throttled, "Rate exceeded")
	case Denied:
		return failure(c.proto.deniedStatus, c.proto.denied, fmt.Sprintf(
			"User: arn:aws:sts::%s:assumed-role/stallbook/i-0abc is not authorized to perform: %s:%s because no identity-based policy allows the %s:%s action",
			Account, c.proto.service, c.Action, c.proto.service, c.Action))
	case Missing:
		code, message := c.proto.missing, "The specified log stream does not exist."
		switch c.Action {
		case "DescribeDBInstances":
			code, message = "DBInstanceNotFound", "DBInstance "+c.Text("DBInstanceIdentifier")+" not found."
		case "DescribeDBParameters":
			code, message = "DBParameterGroupNotFound", "DBParameterGroup not found: "+c.Text("DBParameterGroupName")
		}
		return failure(http.StatusNotFound, code, message)
	case Cut:
		return answer{cut: true}
	default:
		return answer{status: http.StatusServiceUnavailable, html: true}
	}
}
