-- Which of our earlier sessions the server still holds.
SELECT p.pid
  FROM pg_catalog.unnest($1::pg_catalog.int4[]) AS p (pid)
 WHERE EXISTS (SELECT FROM pg_catalog.pg_stat_get_activity(p.pid) AS a
                WHERE a.usesysid = (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user)
                  AND a.application_name = pg_catalog.current_setting('application_name'))
