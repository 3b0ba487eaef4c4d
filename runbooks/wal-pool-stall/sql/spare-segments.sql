-- How many recycled WAL segments lie ahead of the current one?
WITH now_at AS (
  SELECT pg_walfile_name(pg_current_wal_lsn()) AS segment,
         (SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size') AS segment_bytes
), files AS (
  SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'
), pool AS (
  SELECT count(*) AS files, count(*) FILTER (WHERE name > segment) AS spare, min(segment_bytes) AS segment_bytes
    FROM files CROSS JOIN now_at
), rate AS (
  SELECT wal_bytes / nullif(extract(epoch FROM clock_timestamp() - stats_reset), 0)::numeric AS bytes_s
    FROM pg_stat_wal
)
SELECT spare, files, segment_bytes / 1048576 AS segment_mib,
       round(bytes_s / 1048576, 2) AS mean_mib_s,
       round(spare * segment_bytes / nullif(bytes_s, 0)) AS lasts_s
  FROM pool CROSS JOIN rate;
