package runbooks

import (
	"fmt"
	"slices"
	"strings"
)

// ReadOnly returns nil when sql is one statement that can only read: it begins
// with SELECT, WITH or SHOW, nothing follows its semicolon, and it calls no
// function that acts on the server. A read-only transaction refuses writes, but
// not a function that ends sessions or reloads the configuration; this does.
func ReadOnly(sql string) error {
	tokens, err := scan(sql)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(tokens, func(t token) bool { return t.text == ";" }); i >= 0 {
		if i < len(tokens)-1 {
			return fmt.Errorf("a second statement begins with %q; a check is one statement", tokens[i+1].text)
		}
		tokens = tokens[:i]
	}
	if len(tokens) == 0 {
		return fmt.Errorf("there is no statement")
	}
	if !slices.Contains([]string{"select", "with", "show"}, tokens[0].text) {
		return fmt.Errorf("it begins with %q; a check begins with SELECT, WITH or SHOW", tokens[0].text)
	}
	for i, t := range tokens {
		if _, ok := writes[t.text]; ok && !t.quoted {
			return fmt.Errorf("the word %s changes something; a check only reads", strings.ToUpper(t.text))
		}
		call := i+1 < len(tokens) && tokens[i+1].text == "("
		if call && acts(t.text) {
			return fmt.Errorf("the function %s acts on the server; a check only reads", t.text)
		}
	}
	return nil
}

var writes = wordSet("insert update delete merge into copy create drop alter truncate grant revoke vacuum analyze reindex cluster call do lock")

// actors are functions, or their beginnings, that a SELECT can do harm with.
var actors = strings.Fields(`
	pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_promote pg_switch_wal
	pg_create_ pg_drop_ pg_wal_replay_pause pg_wal_replay_resume pg_replication_slot_advance
	pg_replication_origin_ pg_logical_emit_message pg_logical_slot_ pg_stat_reset pg_stat_statements_reset
	pg_backup_ pg_start_backup pg_stop_backup pg_import_ pg_advisory_ pg_try_advisory_ pg_sleep pg_prewarm
	pg_log_backend_memory_contexts pg_stat_force_next_flush pg_restore_ pg_clear_ pg_sync_replication_slots
	set_config setval nextval lo_ dblink pg_read_ pg_file_ pg_ls_dir query_to_xml cursor_to_xml`)

func acts(name string) bool {
	return slices.ContainsFunc(actors, func(a string) bool {
		return name == a || strings.HasSuffix(a, "_") && strings.HasPrefix(name, a) || strings.HasPrefix(name, a+"_")
	})
}
