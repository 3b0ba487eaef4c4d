-- What do the active client sessions wait for?
WITH waits AS (
  SELECT coalesce(wait_event_type || ':' || wait_event, 'nothing, it runs') AS wait
    FROM pg_stat_activity
   WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
), grouped AS (
  SELECT wait, count(*) AS sessions, sum(count(*)) OVER () AS active
    FROM waits
   GROUP BY wait
)
SELECT CASE WHEN NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN NULL
            ELSE coalesce(round(100.0 * sessions / active), 0) END AS share_pct,
       coalesce(wait, 'no active session') AS wait,
       coalesce(sessions, 0) AS sessions, coalesce(active, 0) AS active
  FROM (VALUES (1)) AS one (row)
  LEFT JOIN grouped ON true
 ORDER BY sessions DESC NULLS LAST
 LIMIT 20;
