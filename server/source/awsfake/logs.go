package awsfake

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LogGroup is where RDS writes Enhanced Monitoring documents.
const LogGroup = "RDSOSMetrics"

// stream is one log stream. Its events are kept in the order of their time, as
// CloudWatch Logs keeps them: one that comes late lands before what a reader's
// token has passed.
type stream struct {
	name   string
	events []logEvent
	added  int64
}

type logEvent struct {
	atMs     int64
	seq      int64 // order of arrival, among events of one moment
	ingested int64
	message  string
}

func byTime(a, b logEvent) int { return cmp.Or(cmp.Compare(a.atMs, b.atMs), cmp.Compare(a.seq, b.seq)) }

// size is how AWS counts an event against the bound of a page.
func (e logEvent) size() int { return len(e.message) + 26 }

// maxPageBytes is AWS's bound.
const maxPageBytes = 1 << 20

// AddStream makes an empty log stream.
func (s *Server) AddStream(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream(name)
}

// RemoveStream deletes one, as retention or a switch of instances does.
func (s *Server) RemoveStream(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, name)
}

func (s *Server) stream(name string) *stream {
	if s.streams[name] == nil {
		s.streams[name] = &stream{name: name}
	}
	return s.streams[name]
}

// Log appends one event to a stream, which exists from then on. at is the
// event's own time; from now on clients can read it.
func (s *Server) Log(name string, at time.Time, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(name)
	st.added++
	e := logEvent{at.UnixMilli(), st.added, time.Now().UnixMilli(), message}
	i, _ := slices.BinarySearchFunc(st.events, e, byTime)
	st.events = slices.Insert(st.events, i, e)
}

func noStream() answer {
	return failure(http.StatusBadRequest, "ResourceNotFoundException", "The specified log stream does not exist.")
}

// between cuts the events of the request's startTime (included) and endTime
// (excluded).
func (c Call) between(list []logEvent) []logEvent {
	if from, ok := c.number("startTime"); ok {
		i, _ := slices.BinarySearchFunc(list, logEvent{atMs: from}, byTime)
		list = list[i:]
	}
	if to, ok := c.number("endTime"); ok {
		i, _ := slices.BinarySearchFunc(list, logEvent{atMs: to}, byTime)
		list = list[:i]
	}
	return list
}

// getLogEvents gives one page of a stream. A token stands for a place in time;
// the one that comes back unchanged says that there is no more.
func (s *Server) getLogEvents(c Call) answer {
	st := s.streams[c.Text("logStreamName")]
	if c.group() != LogGroup || st == nil {
		return noStream()
	}
	limit := s.PageEvents
	if n, ok := c.number("limit"); ok {
		limit = min(limit, int(n))
	}
	list := c.between(st.events)
	token := c.Text("nextToken")
	if c.empty {
		return logPage(nil, fmt.Sprintf("%s/e%d", cmp.Or(token, "f/0/0"), len(s.calls)))
	}
	at, ok := place(token)
	if token != "" && !ok {
		return failure(http.StatusBadRequest, "InvalidParameterException", "The specified nextToken is invalid.")
	}
	if token != "" {
		i, found := slices.BinarySearchFunc(list, at, byTime)
		if found {
			i++
		}
		list = list[i:]
	} else if head, _ := c.JSON["startFromHead"].(bool); !head {
		list = list[len(list)-len(fitting(slices.Backward(list), limit)):]
	}
	list = list[:len(fitting(slices.All(list), limit))]
	next := token
	if len(list) > 0 {
		last := list[len(list)-1]
		next = fmt.Sprintf("f/%d/%d", last.atMs, last.seq)
	}
	return logPage(list, cmp.Or(next, "f/0/0"))
}

func (c Call) group() string {
	return cmp.Or(c.Text("logGroupName"), c.Text("logGroupIdentifier"))
}

// place reads a forward token.
func place(token string) (logEvent, bool) {
	parts := strings.Split(token, "/")
	if len(parts) < 3 || parts[0] != "f" {
		return logEvent{}, false
	}
	at, err1 := strconv.ParseInt(parts[1], 10, 64)
	seq, err2 := strconv.ParseInt(parts[2], 10, 64)
	return logEvent{atMs: at, seq: seq}, err1 == nil && err2 == nil
}

// fitting takes events while they fit into one page.
func fitting(seq func(func(int, logEvent) bool), limit int) (out []logEvent) {
	bytes := 0
	for _, e := range seq {
		if bytes += e.size(); len(out) == limit || bytes > maxPageBytes && len(out) > 0 {
			break
		}
		out = append(out, e)
	}
	return out
}

type outputEvent struct {
	Timestamp int64  `json:"timestamp"`
	Message   string `json:"message"`
	Ingestion int64  `json:"ingestionTime"`
	Stream    string `json:"logStreamName,omitempty"`
	ID        string `json:"eventId,omitempty"`
}

func logPage(list []logEvent, next string) answer {
	events := make([]outputEvent, 0, len(list))
	for _, e := range list {
		events = append(events, outputEvent{Timestamp: e.atMs, Message: e.message, Ingestion: e.ingested})
	}
	return answer{json: map[string]any{"events": events, "nextForwardToken": next, "nextBackwardToken": "b/" + next}}
}

// filterLogEvents gives one page over several streams; one that does not exist
// fails all of them, as on AWS.
func (s *Server) filterLogEvents(c Call) answer {
	names, _ := c.JSON["logStreamNames"].([]any)
	if c.group() != LogGroup || len(names) == 0 || len(names) > 100 {
		return failure(http.StatusBadRequest, "InvalidParameterException", "logStreamNames must have 1 to 100 names.")
	}
	var all []outputEvent
	for _, n := range names {
		name, _ := n.(string)
		st := s.streams[name]
		if st == nil {
			return noStream()
		}
		for _, e := range c.between(st.events) {
			all = append(all, outputEvent{e.atMs, e.message, e.ingested, name, fmt.Sprintf("%s/%d", name, e.seq)})
		}
	}
	slices.SortStableFunc(all, func(a, b outputEvent) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	from, _ := strconv.Atoi(c.Text("nextToken"))
	from = min(from, len(all))
	to, bytes := from, 0
	for to < len(all) && to-from < s.PageEvents && bytes < maxPageBytes && !c.empty {
		bytes += len(all[to].Message) + 26
		to++
	}
	out := map[string]any{"events": append([]outputEvent{}, all[from:to]...)}
	if to < len(all) {
		out["nextToken"] = strconv.Itoa(to)
	}
	return answer{json: out}
}

func (s *Server) describeLogStreams(c Call) answer {
	if c.group() != LogGroup {
		return failure(http.StatusBadRequest, "ResourceNotFoundException", "The specified log group does not exist.")
	}
	list := []map[string]any{}
	for name, st := range s.streams {
		if !strings.HasPrefix(name, c.Text("logStreamNamePrefix")) {
			continue
		}
		d := map[string]any{"logStreamName": name}
		if n := len(st.events); n > 0 {
			d["lastEventTimestamp"] = st.events[n-1].atMs
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b map[string]any) int {
		return strings.Compare(a["logStreamName"].(string), b["logStreamName"].(string))
	})
	return answer{json: map[string]any{"logStreams": list}}
}
