package discover

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/rds/auth"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"stallbook/server/source/awscall"
)

// Place is an account and region and how it is reached. Two clusters of one
// place share its clients.
type Place struct {
	Region     string
	AssumeRole string            // ARN, "" = the program's own identity
	Profile    string            // "" = the SDK's own choice
	Endpoint   map[string]string // by service (rds, logs, monitoring, ec2, sts), "" for the others; empty = AWS's
}

// Config builds the SDK's configuration: credentials by the SDK's own chain,
// then the role. It asks nothing yet; the first request finds out whether there
// are credentials. meter counts what the clients ask.
func Config(ctx context.Context, p Place, meter *awscall.Meter) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{config.WithRegion(p.Region)}
	if p.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(p.Profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("the AWS configuration of this machine can't be read (profile %q): is it in ~/.aws/config or AWS_CONFIG_FILE?", p.Profile)
	}
	if len(p.Endpoint) > 0 {
		if all := p.Endpoint[""]; all != "" {
			cfg.BaseEndpoint = aws.String(all)
		}
		cfg.ConfigSources = append([]any{endpoints(p.Endpoint)}, cfg.ConfigSources...)
	}
	meter.Attach(&cfg)
	if p.AssumeRole != "" {
		role := stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), p.AssumeRole, func(o *stscreds.AssumeRoleOptions) { o.RoleSessionName = "stallbook" })
		cfg.Credentials = aws.NewCredentialsCache(role)
	}
	return cfg, nil
}

// endpoints answers the SDK's question for a service's own address.
type endpoints map[string]string

// services is the key of each service in the configuration by the SDK's name.
var services = map[string]string{"RDS": "rds", "CloudWatch Logs": "logs", "CloudWatch": "monitoring", "EC2": "ec2", "STS": "sts"}

// GetServiceBaseEndpoint is what the SDK calls.
func (e endpoints) GetServiceBaseEndpoint(_ context.Context, sdkID string) (string, bool, error) {
	url, ok := e[services[sdkID]]
	return url, ok && services[sdkID] != "", nil
}

// Token returns the function that makes a login token for one instance. A token
// lives for 15 minutes and only a new connection needs one, so each gets its own.
func Token(cfg aws.Config, in Instance, user string) func(context.Context) (string, error) {
	at := net.JoinHostPort(in.Host, strconv.Itoa(in.Port))
	return func(ctx context.Context) (string, error) {
		token, err := auth.BuildAuthToken(ctx, at, cfg.Region, user, cfg.Credentials)
		if err != nil {
			return "", fmt.Errorf("no login token for %s: %s", in.ID, awscall.Explain(err, "rds-db:connect", in.ID))
		}
		return token, nil
	}
}
