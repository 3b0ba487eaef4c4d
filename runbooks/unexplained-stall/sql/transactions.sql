-- Which transactions are open longest?
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            THEN coalesce(round(extract(epoch FROM clock_timestamp() - a.xact_start)::numeric), 0) END AS age_s,
       a.pid, a.state, coalesce(a.wait_event_type || ':' || a.wait_event, 'no wait') AS wait,
       a.datname AS database, a.usename AS role, a.application_name, a.backend_type
  FROM (VALUES (1)) AS one (row)
  LEFT JOIN pg_stat_activity a ON a.xact_start IS NOT NULL AND a.pid <> pg_backend_pid()
 ORDER BY a.xact_start NULLS LAST
 LIMIT 20;
