-- The columns of the views that differ between versions and forks.
SELECT c.relname::pg_catalog.text AS relation, a.attname::pg_catalog.text AS column
  FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace
   AND c.relname = ANY (ARRAY['pg_class', 'pg_stat_bgwriter', 'pg_stat_checkpointer', 'pg_stat_database', 'pg_stat_io',
                              'pg_stat_progress_vacuum', 'pg_stat_recovery_prefetch', 'pg_stat_wal', 'pg_replication_slots'])
