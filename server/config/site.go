package config

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stallbook/store"
)

// Defaults of the keys that may be left out.
const (
	DefaultListen   = "127.0.0.1:8080"
	DefaultDatabase = "stallbook.db"
	DefaultRaw      = 14 * 24 * time.Hour
	DefaultRollup   = 400 * 24 * time.Hour
	DefaultMaxBytes = 10_000_000_000
)

func (r *reader) config(raw *file) *Config {
	r.later(raw.Auth, "auth")
	r.later(raw.Hooks, "hooks")
	r.later(raw.Notify, "notify")
	c := &Config{
		File:      r.file,
		Listen:    r.listen(raw.Listen),
		PublicURL: r.publicURL(raw.PublicURL),
		BasePath:  r.basePath(raw.BasePath),
		Database:  r.database(raw.Database),
		Runbooks:  r.runbooks(raw.Runbooks),
		Retention: r.retention(raw.Retention),
		TLS:       r.tls(raw.TLS),
		Mute:      r.mutes(raw.Mute, "mute"),
	}
	r.clusters(raw.Clusters, c)
	return c
}

func orDefault(text, def string) string {
	if text == "" {
		return def
	}
	return text
}

func (r *reader) listen(text string) string {
	text = orDefault(r.expand(text, "listen"), DefaultListen)
	if _, err := splitAddress(text); err != nil {
		r.add("listen", "listen: %q is no address; write host:port, such as %s", text, DefaultListen)
	}
	return text
}

func splitAddress(address string) (host string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return host, err
}

// CheckListen refuses an address that others can reach: nobody has to log in
// here. It is apart from Load because a flag may replace the file's address.
func (c *Config) CheckListen() error {
	host, err := splitAddress(c.Listen)
	if err != nil {
		return &store.Problem{Code: "invalid", Message: "listen: " + strconv.Quote(c.Listen) + " is no address; write host:port, such as " + DefaultListen}
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return &store.Problem{Code: "invalid", Message: "listen: " + c.Listen + " can be reached from other machines, and without auth everyone there could look and run checks; " +
		"listen on 127.0.0.1 and put a proxy that authenticates in front"}
}

func (r *reader) publicURL(text string) string {
	text = r.expand(text, "public_url")
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		r.add("public_url", "public_url: write it as https://host or https://host/path, without user, query or fragment")
		return ""
	}
	return strings.TrimRight(text, "/")
}

// Hosts lists the Host headers that name this installation besides loopback.
func (c *Config) Hosts() []string {
	if u, err := url.Parse(c.PublicURL); err == nil && u.Host != "" {
		return []string{u.Host}
	}
	return nil
}

var basePathForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

func (r *reader) basePath(text string) string {
	text = strings.TrimRight(r.expand(text, "base_path"), "/")
	if text != "" && !basePathForm.MatchString(text) {
		r.add("base_path", "base_path: %q must begin with / and hold letters, digits, - . _ ~ only, such as /stallbook", text)
	}
	return text
}

func (r *reader) database(text string) string {
	path := r.local(orDefault(text, DefaultDatabase), "database")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		r.add("database", "database: %s is a folder; name a file in it, such as %s", resolved(path), filepath.Join(resolved(path), DefaultDatabase))
	}
	return path
}

// resolved is a path as it is looked up, wherever the program was started.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (r *reader) runbooks(dirs []string) []string {
	out := make([]string, len(dirs))
	for i, d := range dirs {
		path := "runbooks[" + strconv.Itoa(i) + "]"
		out[i] = r.local(d, path)
		if info, err := os.Stat(out[i]); err != nil {
			r.add(path, "runbooks: there is no folder %s", resolved(out[i]))
		} else if !info.IsDir() {
			r.add(path, "runbooks: %s is a file; name the folder of runbooks", resolved(out[i]))
		}
	}
	return out
}

func (r *reader) retention(raw retention) store.Retention {
	before := len(r.found)
	out := store.Retention{
		Raw:    r.duration(raw.Raw, "retention.raw", DefaultRaw, time.Hour),
		Rollup: r.duration(raw.Rollup, "retention.rollup", DefaultRollup, 24*time.Hour),
	}
	bothGood := len(r.found) == before // else there is nothing to compare
	out.MaxBytes = r.size(raw.MaxSize, "retention.max_size", DefaultMaxBytes, 16<<20)
	if bothGood && out.Raw > out.Rollup && raw.Rollup != "" {
		r.add("retention.rollup", "retention.rollup: minutes are kept for %s, less than the seconds they are made of (%s)", raw.Rollup, orDefault(raw.Raw, "14d"))
	}
	out.Rollup = max(out.Rollup, out.Raw)
	return out
}

func (r *reader) tls(raw *tlsFiles) *TLS {
	if raw == nil {
		return nil
	}
	out := &TLS{Cert: r.local(raw.Cert, "tls.cert"), Key: r.local(raw.Key, "tls.key")}
	for _, file := range []struct{ key, name string }{{"cert", out.Cert}, {"key", out.Key}} {
		if file.name == "" {
			r.missing("tls", file.key, "a certificate needs its key and a key its certificate, both as PEM files")
		} else if _, err := os.Stat(file.name); err != nil {
			r.add("tls."+file.key, "tls.%s: %v", file.key, err)
		}
	}
	return out
}
