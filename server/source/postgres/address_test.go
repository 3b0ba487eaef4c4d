package postgres

import (
	"strings"
	"testing"
)

func TestParseDSNNeverTellsThePassword(t *testing.T) {
	for _, dsn := range []string{
		"postgres://mon:s3s4me@h:notaport/db",
		"postgres://mon:s3s4me/x@h:5432/db",
		"postgres://mon:s3s4me%zz@h/db",
		"postgres://mon:s3s4me@h/db?sslmode=loud",
		"host=h user=mon password=s3s4me sslmode=loud",
		"host=h user=mon password='s3s4me sslmode=loud",
		"host=h user=mon password = s3s4me port=x",
		"user=mon password='s3s4me' port=99999 host=h",
		"postgres://mon:s3s4me@h/db?sslrootcert=/nowhere/ca.pem&sslmode=verify-full",
		"postgres://mon:s3s4me@[::1/db",
		"s3s4me",
	} {
		_, err := ParseDSN(dsn)
		if err == nil {
			t.Errorf("%q is taken", dsn)
			continue
		}
		if strings.Contains(err.Error(), "s3s4me") {
			t.Errorf("%q: the error tells the password: %v", dsn, err)
		}
		t.Log(err)
	}
}

func TestParseDSNForms(t *testing.T) {
	for dsn, want := range map[string][3]string{
		"postgres://user%40server:p%40ss@h:6000/db?sslmode=disable":           {"user@server", "p@ss", "h:6000"},
		"host=h port=6000 user='user@server' password='p@ss' sslmode=disable": {"user@server", "p@ss", "h:6000"},
		"host=/run/pg port=6000 user=u password=x":                            {"u", "x", "/run/pg/.s.PGSQL.6000"},
	} {
		cfg, err := ParseDSN(dsn)
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		if got := [3]string{cfg.User, cfg.Password, address(cfg)}; got != want {
			t.Errorf("%s: %v, want %v", dsn, got, want)
		}
		if cfg.RuntimeParams["application_name"] != "stallbook" {
			t.Errorf("%s: application_name %q", dsn, cfg.RuntimeParams["application_name"])
		}
	}
}
