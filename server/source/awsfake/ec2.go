package awsfake

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
)

// Class is what EC2 tells of an instance type; throughput in decimal MB/s.
type Class struct {
	BaselineIOPS, MaximumIOPS int
	BaselineMBps, MaximumMBps float64
}

// SetClass makes EC2 know an instance type.
func (s *Server) SetClass(name string, c Class) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.classes == nil {
		s.classes = map[string]Class{}
	}
	s.classes[name] = c
}

const ec2Namespace = "http://ec2.amazonaws.com/doc/2016-11-15/"

// ec2Query is EC2's own dialect of the Query protocol.
var ec2Query = &protocol{"ec2", "RequestLimitExceeded", "UnauthorizedOperation", "InvalidInstanceType", http.StatusForbidden, "text/xml",
	func(_ Call, a answer) []byte { return []byte(a.text) },
	func(_ Call, a answer) []byte {
		var message strings.Builder
		xml.EscapeText(&message, []byte(a.message))
		return fmt.Appendf(nil, `<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>fake-request</RequestID></Response>`, a.code, message.String())
	}}

// describeTypes fails as a whole when one name is unknown, as EC2 does.
func (s *Server) describeTypes(c Call) answer {
	var items strings.Builder
	for i := 1; c.Text(fmt.Sprintf("InstanceType.%d", i)) != ""; i++ {
		name := c.Text(fmt.Sprintf("InstanceType.%d", i))
		k, ok := s.classes[name]
		if !ok {
			return failure(http.StatusBadRequest, "InvalidInstanceType", "The following supplied instance types do not exist: ["+name+"]")
		}
		fmt.Fprintf(&items, `<item><instanceType>%s</instanceType><ebsInfo><ebsOptimizedSupport>default</ebsOptimizedSupport><ebsOptimizedInfo>`+
			`<baselineIops>%d</baselineIops><maximumIops>%d</maximumIops><baselineThroughputInMBps>%g</baselineThroughputInMBps><maximumThroughputInMBps>%g</maximumThroughputInMBps>`+
			`</ebsOptimizedInfo></ebsInfo></item>`, name, k.BaselineIOPS, k.MaximumIOPS, k.BaselineMBps, k.MaximumMBps)
	}
	return answer{text: `<DescribeInstanceTypesResponse xmlns="` + ec2Namespace + `"><requestId>fake-request</requestId><instanceTypeSet>` + items.String() + `</instanceTypeSet></DescribeInstanceTypesResponse>`}
}
