package lab

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// confName is read at the end of postgresql.conf.
const confName = "lab.conf"

// defaults suit a small server that is thrown away but behaves like a real one.
func defaults() map[string]string {
	return map[string]string{
		"shared_buffers":              "64MB",
		"max_connections":             "120",
		"wal_level":                   "replica",
		"wal_keep_size":               "256MB",
		"max_wal_senders":             "10",
		"hot_standby":                 "on",
		"lc_messages":                 "C",
		"log_line_prefix":             "%m [%p] %b %a ",
		"log_checkpoints":             "on",
		"log_autovacuum_min_duration": "0",
		"logging_collector":           "off",
		"timezone":                    "UTC",
		"wal_receiver_timeout":        "10s",
		"wal_sender_timeout":          "10s",
		"wal_retrieve_retry_interval": "500ms",
	}
}

// writeConf writes lab.conf: where the server listens, then the settings.
func (s *Server) writeConf() error {
	all := defaults()
	maps.Copy(all, s.settings)
	all["port"] = strconv.Itoa(s.Port)
	all["listen_addresses"] = "127.0.0.1"
	all["unix_socket_directories"] = s.socketDir()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = %s\n", name, quote(all[name]))
	}
	path := filepath.Join(s.dataDir(), confName)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return s.lab.account.own(path)
}

// quote writes a value as postgresql.conf and SQL both read it.
func quote(v string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(v, `\`, `\\`), "'", "''") + "'"
}

func (s *Server) includeConf() error {
	f, err := os.OpenFile(filepath.Join(s.dataDir(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("\ninclude '" + confName + "'\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
