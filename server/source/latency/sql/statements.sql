-- Counters of the statements that run most, without their texts (which would be
-- read from a file) and without our own. {{schema}} is filled in, quoted. The
-- columns have had these names since 14. A row of another role has no queryid
-- for a reader without pg_read_all_stats.
SELECT s.userid::bigint, s.dbid::bigint, s.queryid, s.toplevel,
       s.calls, s.total_exec_time, s.mean_exec_time, s.stddev_exec_time
  FROM {{schema}}.pg_stat_statements(showtext := false) s
 WHERE s.calls > 0
   AND s.userid <> (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)
 ORDER BY s.calls DESC
 LIMIT 1000;
