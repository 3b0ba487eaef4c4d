package awsfake

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/encoding/cbor"
)

// Call is one request as it came.
type Call struct {
	Action string
	At     time.Time
	Form   url.Values     // RDS
	JSON   map[string]any // CloudWatch Logs
	CBOR   cbor.Map       // CloudWatch

	proto *protocol
	empty bool
}

// Text returns a parameter of an RDS or Logs request, "" when it is absent.
func (c Call) Text(name string) string {
	if v, ok := c.JSON[name].(string); ok {
		return v
	}
	return c.Form.Get(name)
}

// number returns a numeric parameter of a Logs request.
func (c Call) number(name string) (int64, bool) {
	v, ok := c.JSON[name].(float64)
	return int64(v), ok
}

// answer is what goes back: one of the bodies, or an error.
type answer struct {
	status        int
	code, message string
	xml           smithy.Serializable
	text          string // a body as it stands
	json          any
	cbor          cbor.Map
	html, cut     bool
}

func failure(status int, code, message string) answer {
	return answer{status: status, code: code, message: message}
}

// protocol is how one service writes errors and answers.
type protocol struct {
	service            string // as IAM writes it
	throttled, denied  string
	missing            string
	deniedStatus       int
	kind               string
	body, failedBodies func(Call, answer) []byte
}

var (
	query = &protocol{"rds", "Throttling", "AccessDenied", "ResourceNotFoundFault", http.StatusForbidden, "text/xml", xmlBody, xmlError}
	rpc   = &protocol{"cloudwatch", "Throttling", "AccessDenied", "ResourceNotFoundException", http.StatusForbidden, "application/cbor",
		func(_ Call, a answer) []byte { return cbor.Encode(a.cbor) },
		func(_ Call, a answer) []byte {
			return cbor.Encode(cbor.Map{"__type": cbor.String("com.amazonaws.cloudwatch#" + a.code), "message": cbor.String(a.message)})
		}}
	jsonRPC = &protocol{"logs", "ThrottlingException", "AccessDeniedException", "ResourceNotFoundException", http.StatusBadRequest, "application/x-amz-json-1.1",
		func(_ Call, a answer) []byte { return jsonBody(a.json) },
		func(_ Call, a answer) []byte {
			return jsonBody(map[string]string{"__type": a.code, "message": a.message})
		}}
)

// dialects are the services that speak the Query protocol in their own way, by
// the version of their API.
var dialects = map[string]*protocol{"2016-11-15": ec2Query, "2011-06-15": stsQuery}

// read tells the service by the request's protocol, as one endpoint serves all.
func read(r *http.Request) (Call, error) {
	c := Call{At: time.Now()}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return c, err
	}
	target := r.Header.Get("X-Amz-Target")
	switch {
	case r.Header.Get("Smithy-Protocol") == "rpc-v2-cbor":
		c.proto = rpc
		_, c.Action, _ = strings.Cut(r.URL.Path, "/operation/")
		v, err := cbor.Decode(body)
		if err != nil {
			return c, err
		}
		c.CBOR, _ = v.(cbor.Map)
	case target != "":
		c.proto = jsonRPC
		_, c.Action, _ = strings.Cut(target, ".")
		if err := json.Unmarshal(body, &c.JSON); err != nil {
			return c, err
		}
	default:
		c.proto = query
		if c.Form, err = url.ParseQuery(string(body)); err != nil {
			return c, err
		}
		c.Action = c.Form.Get("Action")
		if own := dialects[c.Form.Get("Version")]; own != nil {
			c.proto = own
		}
	}
	if c.Action == "" {
		return c, fmt.Errorf("%s %s names no action", r.Method, r.URL)
	}
	return c, nil
}

func (p *protocol) write(w http.ResponseWriter, c Call, a answer) {
	switch {
	case a.cut:
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "{")
		panic(http.ErrAbortHandler)
	case a.html:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(a.status)
		io.WriteString(w, "<html><body><b>Http/1.1 Service Unavailable</b></body></html>")
		return
	}
	w.Header().Set("Content-Type", p.kind)
	w.Header().Set("X-Amzn-Requestid", "fake-request")
	if p == rpc {
		w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	}
	if a.code != "" {
		w.Header().Set("X-Amzn-Query-Error", a.code+";Sender")
		w.WriteHeader(a.status)
		w.Write(p.failedBodies(c, a))
		return
	}
	w.Write(p.body(c, a))
}

func jsonBody(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func xmlError(_ Call, a answer) []byte {
	var message strings.Builder
	xml.EscapeText(&message, []byte(a.message))
	return fmt.Appendf(nil, `<ErrorResponse xmlns="%s"><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error><RequestId>fake-request</RequestId></ErrorResponse>`,
		namespace, a.code, message.String())
}
