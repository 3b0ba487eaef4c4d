-- Which sessions hold the locks that others wait for, without waiting themselves?
WITH waiting AS (
  SELECT pid, unnest(pg_blocking_pids(pid)) AS blocker
    FROM pg_stat_activity
   WHERE wait_event_type = 'Lock'
), roots AS (
  SELECT blocker AS pid, (SELECT count(DISTINCT pid) FROM waiting) AS blocked
    FROM waiting
   WHERE blocker NOT IN (SELECT pid FROM waiting)
   GROUP BY blocker
)
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN coalesce(r.blocked, 0) END AS blocked,
       r.pid, a.state,
       round(extract(epoch FROM clock_timestamp() - a.xact_start)::numeric) AS transaction_s,
       a.datname AS database, a.usename AS role, a.application_name, a.backend_type
  FROM (VALUES (1)) AS one (row)
  LEFT JOIN roots r ON true
  LEFT JOIN pg_stat_activity a ON a.pid = r.pid
 ORDER BY a.xact_start NULLS LAST
 LIMIT 20;
