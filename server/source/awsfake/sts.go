package awsfake

import (
	"fmt"
	"net/http"
	"time"
)

// stsQuery is STS's dialect of the Query protocol.
var stsQuery = &protocol{"sts", "Throttling", "AccessDenied", "NoSuchEntity", http.StatusForbidden, "text/xml",
	func(_ Call, a answer) []byte { return []byte(a.text) }, xmlError}

// assumeRole gives the same key under another name: the fake has one account.
func (s *Server) assumeRole(c Call) answer {
	return answer{text: fmt.Sprintf(`<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser><Arn>%s</Arn><AssumedRoleId>id</AssumedRoleId></AssumedRoleUser>`+
		`<Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
		c.Text("RoleArn"), AccessKey, SecretKey, SessionToken, c.At.Add(time.Hour).UTC().Format(time.RFC3339))}
}
