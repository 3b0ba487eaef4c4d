-- How many commits wait for a synchronous standby, and for how long?
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            THEN count(*) FILTER (WHERE lower(wait_event) = 'syncrep') END AS waiting,
       coalesce(round(extract(epoch FROM max(clock_timestamp() - state_change)
                FILTER (WHERE lower(wait_event) = 'syncrep'))::numeric), 0) AS longest_s,
       current_setting('synchronous_standby_names') AS names
  FROM pg_stat_activity
 WHERE pid <> pg_backend_pid();
