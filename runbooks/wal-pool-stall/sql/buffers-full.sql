-- Were the WAL buffers full instead? That is another cause with the same waits.
SELECT round(wal_buffers_full / nullif(wal_bytes / 1073741824, 0), 1) AS full_per_gib,
       wal_buffers_full AS times_full,
       round(wal_bytes / 1073741824, 2) AS wal_gib,
       current_setting('wal_buffers') AS wal_buffers, stats_reset
  FROM pg_stat_wal;
