-- Does WAL replay read ahead on this server?
WITH settings AS (
  SELECT current_setting('recovery_prefetch', true) AS prefetch,
         current_setting('maintenance_io_concurrency') AS concurrency
)
SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
            WHEN prefetch IS NULL OR prefetch = 'off' OR concurrency = '0' THEN 'no'
            ELSE 'yes' END AS prefetches,
       coalesce(prefetch, 'not in this version') AS recovery_prefetch,
       concurrency AS maintenance_io_concurrency
  FROM settings;
