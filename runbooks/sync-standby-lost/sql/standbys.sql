-- Which standbys are connected, and where does each lose time: on the way
-- (write), on its disk (flush) or in replay?
WITH standbys AS (
  SELECT application_name AS name, state, sync_state,
         round(extract(epoch FROM write_lag)::numeric * 1000, 1) AS write_ms,
         round(extract(epoch FROM flush_lag)::numeric * 1000, 1) AS flush_ms,
         round(extract(epoch FROM replay_lag)::numeric * 1000, 1) AS replay_ms,
         round(pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, flush_lsn) / 1048576, 1) AS unflushed_mib
    FROM pg_stat_replication
), counts AS (
  SELECT count(*) AS connected, count(*) FILTER (WHERE state = 'streaming') AS streams
    FROM pg_stat_replication
)
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN streams END AS streaming,
       connected, name, state, sync_state, write_ms, flush_ms, replay_ms, unflushed_mib
  FROM counts
  LEFT JOIN standbys ON true
 ORDER BY flush_ms DESC NULLS LAST
 LIMIT 20;
