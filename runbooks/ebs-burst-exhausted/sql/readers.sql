-- Which tables were read past shared buffers, with their indexes and TOAST?
-- What the kernel had cached counts as read too.
WITH reads AS (
  SELECT relid::regclass::text AS relation,
         coalesce(heap_blks_read, 0) + coalesce(idx_blks_read, 0) + coalesce(toast_blks_read, 0) + coalesce(tidx_blks_read, 0) AS missed,
         coalesce(heap_blks_hit, 0) + coalesce(idx_blks_hit, 0) + coalesce(toast_blks_hit, 0) + coalesce(tidx_blks_hit, 0) AS found
    FROM pg_statio_user_tables
)
SELECT relation, round(missed * current_setting('block_size')::numeric / 1048576, 1) AS mib_read,
       round(100.0 * found / (found + missed), 1) AS hit_pct,
       coalesce((SELECT stats_reset::timestamp(0)::text FROM pg_stat_database WHERE datname = current_database()), 'the start of the counters') AS since
  FROM reads
 WHERE missed > 0
 ORDER BY missed DESC
 LIMIT 20;
