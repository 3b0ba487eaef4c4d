-- How many client statements have run for 2 s or more and wait at this moment?
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            THEN count(*) FILTER (WHERE wait_event_type IN ('IO', 'LWLock', 'IPC', 'Lock', 'BufferPin')
                                    AND clock_timestamp() - query_start >= interval '2 s') END AS stuck,
       count(*) AS active
  FROM pg_stat_activity
 WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid();
