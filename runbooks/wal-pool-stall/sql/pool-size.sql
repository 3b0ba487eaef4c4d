-- Does min_wal_size keep as many segments as one checkpoint cycle writes?
-- The rate is the mean since the counters were reset: the peak is higher.
WITH s AS (
  SELECT max(setting::bigint) FILTER (WHERE name = 'min_wal_size') AS min_mib,
         max(setting::bigint) FILTER (WHERE name = 'max_wal_size') AS max_mib,
         max(setting::bigint) FILTER (WHERE name = 'checkpoint_timeout') AS timeout_s
    FROM pg_settings
   WHERE name IN ('min_wal_size', 'max_wal_size', 'checkpoint_timeout')
), wal AS (
  SELECT wal_bytes / nullif(extract(epoch FROM clock_timestamp() - stats_reset), 0)::numeric / 1048576 AS mib_s
    FROM pg_stat_wal
)
SELECT round(least(mib_s * timeout_s, max_mib) / nullif(min_mib, 0), 2) AS cycle_to_pool,
       round(least(mib_s * timeout_s, max_mib)) AS cycle_mib, min_mib, max_mib,
       round(mib_s, 2) AS mean_mib_s,
       current_setting('wal_recycle') AS wal_recycle,
       current_setting('wal_init_zero') AS wal_init_zero
  FROM s CROSS JOIN wal;
