package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stallbook/server/lab"
)

// server17 starts a real PostgreSQL with a role that sees everything it should
// and one that does not.
func server17(t *testing.T) *lab.Server {
	t.Helper()
	bin, err := lab.FindMajor(17)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s, err := lab.StartPrimary(t.Context(), lab.Options{Binaries: bin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	err = s.Exec(t.Context(), "postgres", "create role seeing login", "grant pg_monitor to seeing", "create role blind login")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCommandsOnARealServer(t *testing.T) {
	s := server17(t)
	dir := t.TempDir()
	conf := filepath.Join(dir, "stallbook.yaml")
	text := fmt.Sprintf("clusters:\n  - name: shop\n    instances:\n      - {name: shop-1, postgres: %q}\n", s.DSNAs("seeing", "postgres"))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("check sees everything", func(t *testing.T) {
		code, out, errs := try(t, "check", "-c", conf)
		if code != exitOK || !strings.Contains(out, "shop/shop-1 at ") || !strings.Contains(out, "primary, as seeing") || strings.Contains(out, "can't see") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	})
	t.Run("check names the grant", func(t *testing.T) {
		code, out, errs := try(t, "check", "--dsn", s.DSNAs("blind", "postgres"))
		if code != exitFailure || strings.Count(out, "GRANT pg_monitor TO blind;") != 1 || !strings.Contains(out, "pg_stat_activity") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	})
	t.Run("check as JSON", func(t *testing.T) {
		code, out, _ := try(t, "check", "--json", "--dsn", "host=127.0.0.1 port=1 user=x password=hunter2 sslmode=disable")
		var body struct{ Instances []struct{ Problem string } }
		if err := json.Unmarshal([]byte(out), &body); err != nil {
			t.Fatal(err)
		}
		if code != exitFailure || len(body.Instances) != 1 || body.Instances[0].Problem == "" || strings.Contains(out, "hunter2") {
			t.Errorf("exit %d\n%s", code, out)
		}
	})
	t.Run("record and replay", func(t *testing.T) {
		file := filepath.Join(dir, "one.jsonl")
		code, _, errs := try(t, "record", "-c", conf, "-o", file, "--for", "4s", "--log-level", "error")
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, errs)
		}
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), `"pg.tps"`) || !strings.Contains(string(b), `"cluster":"shop"`) {
			t.Fatalf("%v: %s", err, b)
		}
		if code, _, errs := try(t, "record", "-c", conf, "-o", file); code != exitUsage || !strings.Contains(errs, "exists already") {
			t.Errorf("a second time: exit %d: %s", code, errs)
		}
		if code, out, errs := try(t, "replay", file); code != exitOK || errs != "" || strings.TrimSpace(out) != "no incident" {
			t.Errorf("replay: exit %d: %s%s", code, out, errs)
		}
	})
}
