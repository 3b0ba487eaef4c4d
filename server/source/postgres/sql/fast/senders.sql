-- A standby can acknowledge when it streams, is named by synchronous_standby_names
-- (its priority is above 0) and has flushed something.
SELECT count(*) FILTER (WHERE state = 'streaming' AND sync_priority > 0 AND flush_lsn IS NOT NULL) AS streaming
  FROM pg_catalog.pg_stat_get_wal_senders()
