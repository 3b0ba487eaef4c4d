package awsfake

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	rds "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// What the clients of Config sign with. A test looks for the secret parts where
// they must never be: in logs, in errors, in the store.
const (
	AccessKey    = "AKIAFAKEFAKEFAKEFAKE"
	SecretKey    = "secretkey-of-the-fake-that-must-not-leak"
	SessionToken = "sessiontoken-of-the-fake-that-must-not-leak"
)

// Account and Region are where everything of the fake lives.
const (
	Account = "123456789012"
	Region  = "eu-west-1"
)

// Server is the fake. Its methods may be called while clients use it.
type Server struct {
	// PageEvents bounds one page of log events; AWS's own bounds are 10,000
	// events and 1 MB. PageRecords bounds one page of the RDS answers.
	// Both are set before the first request.
	PageEvents, PageRecords int

	http *httptest.Server

	mu         sync.Mutex
	calls      []Call
	faults     []*armed
	quotas     map[string]*quota
	instances  []rds.DBInstance
	events     []rds.Event
	parameters map[string][]rds.Parameter
	streams    map[string]*stream
	metrics    map[string][]Point
	statuses   map[string]string
	classes    map[string]Class
}

// New starts a server on loopback; Close ends it.
func New() *Server {
	s := &Server{
		PageEvents: 10_000, PageRecords: 100,
		quotas: map[string]*quota{}, parameters: map[string][]rds.Parameter{},
		streams: map[string]*stream{}, metrics: map[string][]Point{}, statuses: map[string]string{},
	}
	s.http = httptest.NewServer(s)
	return s
}

// URL is the endpoint for all three services.
func (s *Server) URL() string { return s.http.URL }

// Close waits for requests that run and stops the server.
func (s *Server) Close() { s.http.Close() }

// Config makes real SDK clients talk to the server, with credentials of its own
// and the SDK's usual retries.
func (s *Server) Config() aws.Config {
	return aws.Config{
		Region: Region, BaseEndpoint: aws.String(s.URL()),
		Credentials: credentials.NewStaticCredentialsProvider(AccessKey, SecretKey, SessionToken),
	}
}

// Calls returns the requests of one action so far, "" for all.
func (s *Server) Calls(action string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if action == "" || c.Action == action {
			out = append(out, c)
		}
	}
	return out
}

// handler answers one action. It runs with the lock held.
type handler func(*Server, Call) answer

var handlers = map[string]handler{
	"DescribeDBInstances":  (*Server).describeInstances,
	"DescribeEvents":       (*Server).describeEvents,
	"DescribeDBParameters": (*Server).describeParameters,
	"GetMetricData":        (*Server).getMetricData,

	"GetLogEvents":       (*Server).getLogEvents,
	"FilterLogEvents":    (*Server).filterLogEvents,
	"DescribeLogStreams": (*Server).describeLogStreams,

	"DescribeInstanceTypes": (*Server).describeTypes,
	"AssumeRole":            (*Server).assumeRole,
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+AccessKey+"/") || r.Header.Get("X-Amz-Security-Token") != SessionToken {
		call.proto.write(w, call, failure(http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token"))
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	f, failed := s.fault(call)
	s.mu.Unlock()
	if failed && f.Delay > 0 {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(f.Delay):
		}
	}
	time.Sleep(distance)
	call.proto.write(w, call, s.answer(call, f, failed))
}

// distance is far less than to any real AWS. Without it an answer can overtake
// the end of its request, which makes the SDK drop the connection.
const distance = time.Millisecond

func (s *Server) answer(call Call, f Fault, failed bool) answer {
	if failed && f.Kind != Slow && f.Kind != Empty {
		return f.answer(call)
	}
	call.empty = failed && f.Kind == Empty
	s.mu.Lock()
	defer s.mu.Unlock()
	if handle, ok := handlers[call.Action]; ok {
		return handle(s, call)
	}
	return failure(http.StatusBadRequest, "InvalidAction", "The fake has no action "+call.Action)
}
