package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// dsn checks a connection string the way it will be used. Whether the server
// answers is for `stallbook check` to say.
func (r *reader) dsn(text, parent string) Secret {
	path := parent + ".postgres"
	before := len(r.found)
	text = r.secret(text, path)
	if len(r.found) > before {
		return Secret{}
	}
	if text == "" {
		r.missing(parent, "postgres", "how to reach the server, such as postgres://stallbook@10.0.0.5:5432/postgres?sslmode=verify-full")
		return Secret{}
	}
	cfg, err := pgconn.ParseConfig(text)
	if err != nil {
		r.add(path, "%s: %s", path, dsnTrouble(err))
		return Secret{}
	}
	return NewSecret(text, fmt.Sprintf("%s:%d/%s as %s", cfg.Host, cfg.Port, orDefault(cfg.Database, cfg.User), cfg.User))
}

// CheckDSN wraps a connection string that comes from a flag. The error never
// holds any part of it that may be a password.
func CheckDSN(text string) (Secret, error) {
	cfg, err := pgconn.ParseConfig(text)
	if err != nil {
		return Secret{}, errors.New(dsnTrouble(err))
	}
	return NewSecret(text, fmt.Sprintf("%s:%d/%s as %s", cfg.Host, cfg.Port, orDefault(cfg.Database, cfg.User), cfg.User)), nil
}

// dsnTrouble says what is wrong with a connection string without a piece of it:
// a URL whose password holds a slash is quoted by the parser as a bad port.
func dsnTrouble(err error) string {
	var pe *pgconn.ParseConfigError
	if !errors.As(err, &pe) {
		return "the connection string can't be used"
	}
	pe.ConnString = ""
	msg := strings.TrimPrefix(pe.Error(), "cannot parse ``: ")
	if strings.HasPrefix(msg, "failed to parse as URL") {
		return "the connection string is no valid URL; " + encodeHint
	}
	if msg == "invalid port" {
		return "the connection string has no valid port; in a URL, " + encodeHint
	}
	if strings.HasPrefix(msg, "failed to parse as") {
		return "the connection string is neither a postgres:// URL nor a list of key=value"
	}
	return "the connection string can't be used: " + msg
}

const encodeHint = "/ @ : # ? % in a password must be percent-encoded"

// scrapeURL reads the url key of a mapping that names a metrics page.
func (r *reader) scrapeURL(text, parent string) Secret {
	path := parent + ".url"
	before := len(r.found)
	text = r.secret(text, path)
	if len(r.found) > before {
		return Secret{}
	}
	if text == "" {
		r.missing(parent, "url", "the metrics page to read, such as http://10.0.0.5:9100/metrics")
		return Secret{}
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		r.add(path, "%s: write it as http://host:port/metrics or https://…", path)
		return Secret{}
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return NewSecret(text, shown.String())
}
