-- How long did one block take to read, on average since the counters were
-- reset? A restore resets them, so on a fresh copy this is the copy's own time.
SELECT CASE WHEN current_setting('track_io_timing') = 'on'
            THEN round((sum(blk_read_time) / nullif(sum(blks_read), 0))::numeric, 2) END AS mean_ms,
       sum(blks_read) AS blocks_read, min(stats_reset) AS since,
       current_setting('track_io_timing') AS track_io_timing
  FROM pg_stat_database;
