package awscall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Denied reports whether AWS refused for want of a permission.
func Denied(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden":
		return true
	}
	return false
}

// Throttled reports whether AWS refused because of too many requests.
func Throttled(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && (strings.HasPrefix(api.ErrorCode(), "Throttl") || api.ErrorCode() == "RequestLimitExceeded" || api.ErrorCode() == "TooManyRequestsException")
}

// Code is AWS's code of an error, "" when the request got no answer from it.
func Code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// badCredentials are codes of a request that was signed with the wrong key.
var badCredentials = map[string]string{
	"ExpiredToken": "have expired", "ExpiredTokenException": "have expired", "RequestExpired": "have expired, or this machine's clock is wrong",
	"InvalidClientTokenId": "are not known to AWS", "UnrecognizedClientException": "are not known to AWS",
	"SignatureDoesNotMatch": "do not fit together, or this machine's clock is wrong", "InvalidSignatureException": "do not fit together, or this machine's clock is wrong",
	"MissingAuthenticationToken": "are missing", "MissingAuthenticationTokenException": "are missing",
}

// Explain says why asked (as IAM writes it, rds:DescribeDBInstances) failed for
// what, an instance or a region, and what mends it. It holds neither key nor
// token, and nothing of AWS's message, which names the caller.
func Explain(err error, asked, what string) string {
	code := Code(err)
	if own := innermost(err); own == "sts:AssumeRole" {
		asked = own // the request itself was never sent
	}
	switch {
	case Denied(err):
		return fmt.Sprintf("AWS does not permit %s for %s: %s. Allow that action in the IAM policy of the role stallbook runs as (docs/aws.md has the whole policy)", asked, what, LostWithout(asked))
	case Throttled(err):
		return fmt.Sprintf("AWS throttles %s for %s: the account's requests a second are used up, the next try comes later", asked, what)
	case badCredentials[code] != "":
		return fmt.Sprintf("%s for %s: the AWS credentials %s (%s)", asked, what, badCredentials[code], code)
	case code != "":
		return fmt.Sprintf("%s for %s: AWS answered %s", asked, what, code)
	}
	return fmt.Sprintf("%s for %s: %s", asked, what, unanswered(err))
}

// innermost is the request that failed first: to sign one, another may be needed.
func innermost(err error) (name string) {
	for {
		var op *smithy.OperationError
		if !errors.As(err, &op) {
			return name
		}
		name, err = action(op.ServiceID, op.OperationName), op.Err
	}
}

// unanswered explains a request that AWS did not answer. The error's own text is
// left out on purpose: it can hold the request.
func unanswered(err error) string {
	var dns *net.DNSError
	var answer *awshttp.ResponseError
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s has no address: is the region spelt right, and does this host's DNS know the endpoint?", dns.Name)
	case errors.Is(err, context.Canceled):
		return "the request was called off"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time: does this host reach the endpoint (a VPC endpoint or NAT, `endpoint:` in the configuration)?"
	case errors.As(err, &answer) && answer.HTTPStatusCode() != 0:
		return fmt.Sprintf("the endpoint answered with HTTP status %d and nothing that AWS writes", answer.HTTPStatusCode())
	case strings.Contains(err.Error(), "get credentials"), strings.Contains(err.Error(), "credential"):
		return "no AWS credentials were found: give the machine a role, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
	}
	return "the endpoint can't be reached"
}
