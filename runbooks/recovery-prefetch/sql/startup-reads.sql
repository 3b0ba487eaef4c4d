-- What does the startup process, which replays WAL, wait for at this moment?
SELECT CASE WHEN NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN NULL
            WHEN lower(a.wait_event) IN ('datafileread', 'datafileprefetch', 'aioiocompletion') THEN 'yes'
            ELSE 'no' END AS reads,
       CASE WHEN a.pid IS NULL THEN 'not running'
            ELSE coalesce(a.wait_event_type || ':' || a.wait_event, 'busy, no wait') END AS startup
  FROM (VALUES (1)) AS one (row)
  LEFT JOIN pg_stat_activity a ON a.backend_type = 'startup';
