-- Is pg_prewarm installed here, and how many sessions are free for it?
SELECT CASE WHEN installed_version IS NULL THEN 'no' ELSE 'yes' END AS installed,
       coalesce(installed_version, 'none') AS version, default_version AS available,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL) AS free_sessions,
       pg_has_role(current_user, 'pg_read_all_data', 'USAGE') AS reads_all_data
  FROM pg_available_extensions
 WHERE name = 'pg_prewarm';
