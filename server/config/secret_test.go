package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	const value = "hunter2"
	type holder struct {
		Open   Secret
		hidden Secret
	}
	s := NewSecret(value, "")
	h := holder{s, s}
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "s", s, "h", h, "p", &h)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "h", h)
	js, err := json.Marshal(map[string]any{"s": s, "h": h})
	if err != nil {
		t.Fatal(err)
	}
	ym, err := yaml.Marshal(map[string]any{"s": s, "h": &h})
	if err != nil {
		t.Fatal(err)
	}
	out := log.String() + string(js) + string(ym) + s.String() + h.hidden.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		out += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, h) + fmt.Sprintf(verb, &h) + fmt.Sprintf(verb, []Secret{s})
	}
	if strings.Contains(out, value) || strings.Contains(out, fmt.Sprintf("%x", value)) {
		t.Errorf("the secret shows in %s", out)
	}
	if !strings.Contains(string(js), "[secret]") || s.Reveal() != value {
		t.Errorf("stand-in or value lost: %s", js)
	}
}

func TestConfigPrintsNoSecret(t *testing.T) {
	clearPG(t)
	c, err := Load("testdata/good/full.yaml", lookup)
	if err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s", c, *c, c, js)
	for _, v := range testEnv {
		if strings.Contains(all, v) {
			t.Errorf("a secret shows in %s", all)
		}
	}
	if !strings.Contains(all, "10.0.0.5:5432/postgres as stallbook") {
		t.Error("a connection should still be recognisable")
	}
}

func TestSecretFromFile(t *testing.T) {
	clearPG(t)
	dir := t.TempDir()
	secret, conf := filepath.Join(dir, "dsn"), filepath.Join(dir, "c.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(conf, "clusters: [{name: a, instances: [{name: b, postgres: \"file://"+secret+"\"}]}]\n")
	for text, want := range map[string]string{
		"host=x password=p1\n":   "host=x password=p1",
		"host=x password=p1\r\n": "host=x password=p1",
		"host=x password='p '":   "host=x password='p '",
	} {
		write(secret, text)
		c, err := Load(conf, lookup)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Clusters[0].Instances[0].Postgres.Reveal(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write(secret, "\n")
	if _, err := Load(conf, lookup); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty secret file: %v", err)
	}
}

func TestCheckDSN(t *testing.T) {
	clearPG(t)
	s, err := CheckDSN("postgres://ada:hunter2@h/db?sslmode=disable")
	if err != nil || s.String() != "h:5432/db as ada" {
		t.Errorf("got %v, %v", s, err)
	}
	for _, bad := range []string{"postgres://ada:hun/ter2@h/db", "postgres://h:x/db", "hunter2", "host=h port=hunter2x", "postgres://a:hunter2%zz@h/"} {
		_, err := CheckDSN(bad)
		if err == nil || strings.Contains(err.Error(), "hun") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
