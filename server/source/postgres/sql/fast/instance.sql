SELECT pg_catalog.pg_is_in_recovery() AS in_recovery,
       pg_catalog.clock_timestamp() AS clock,
       pg_catalog.pg_postmaster_start_time() AS started,
       coalesce(pg_catalog.current_setting('synchronous_standby_names', true), '') AS sync_names,
{{- if .WAL}}
       CASE WHEN NOT pg_catalog.pg_is_in_recovery()
            THEN pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0')::pg_catalog.int8 END AS written
{{- else}}
       NULL::pg_catalog.int8 AS written
{{- end}}
