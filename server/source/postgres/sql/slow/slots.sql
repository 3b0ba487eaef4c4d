SELECT coalesce(max(pg_catalog.pg_wal_lsn_diff(
           CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
                ELSE pg_catalog.pg_current_wal_lsn() END, s.restart_lsn)), 0)::pg_catalog.int8 AS retained
  FROM pg_catalog.pg_replication_slots AS s
 WHERE s.restart_lsn IS NOT NULL
