SELECT o.oid::pg_catalog.int8 AS oid, pg_catalog.pg_stat_get_autovacuum_count(o.oid) AS count
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS o (oid)
