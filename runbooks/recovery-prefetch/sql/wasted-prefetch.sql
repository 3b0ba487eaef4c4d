-- How many blocks does replay prefetch for each full page image it replays?
-- An image needs no read. Counted since stats_reset or the start of the server.
SELECT round(prefetch::numeric / nullif(skip_fpw, 0), 2) AS per_image,
       prefetch, skip_fpw, hit, stats_reset
  FROM pg_stat_recovery_prefetch;
