-- Names come by oid, one look-up a row: a join with pg_class would read all of it.
SELECT p.pid, p.relid::pg_catalog.int8 AS oid, p.datname::pg_catalog.text AS database,
       coalesce(a.backend_type = 'autovacuum worker', false) AS auto, coalesce(a.query, '') AS query,
       CASE WHEN p.datname = pg_catalog.current_database() THEN
            (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
               FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
              WHERE c.oid = p.relid) END AS name
  FROM pg_catalog.pg_stat_progress_vacuum AS p
  LEFT JOIN LATERAL pg_catalog.pg_stat_get_activity(p.pid) AS a ON true
 WHERE p.relid IS NOT NULL
