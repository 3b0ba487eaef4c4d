-- How many active client sessions wait for a file at this moment?
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            THEN count(*) FILTER (WHERE wait_event_type = 'IO') END AS waiting,
       count(*) AS active
  FROM pg_stat_activity
 WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid();
