-- Which autovacuum passes of this database run now or ended last?
-- SET stallbook.schema and stallbook.table to ask about one table only.
WITH asked AS (
  SELECT nullif(current_setting('stallbook.schema', true), '') AS schema_name,
         nullif(current_setting('stallbook.table', true), '') AS table_name
), tables AS (
  SELECT c.oid, n.nspname || '.' || c.relname AS table_name
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
   CROSS JOIN asked a
   WHERE c.relkind IN ('r', 'm')
     AND c.relpersistence <> 't'
     AND (a.table_name IS NULL OR c.relname = a.table_name)
     AND (a.schema_name IS NULL OR n.nspname = a.schema_name)
   ORDER BY c.relpages DESC
   LIMIT 500
), passes AS (
  SELECT t.table_name, p.phase,
         pg_stat_get_last_autovacuum_time(t.oid) AS ended,
         pg_stat_get_autovacuum_count(t.oid) AS passes
    FROM tables t
    LEFT JOIN pg_stat_progress_vacuum p ON p.relid = t.oid AND p.datname = current_database()
), judged AS (
  SELECT *, CASE WHEN phase IS NOT NULL THEN 0
                 ELSE round(extract(epoch FROM clock_timestamp() - ended)::numeric) END AS seconds_ago
    FROM passes
)
SELECT table_name, seconds_ago,
       CASE WHEN phase IS NOT NULL THEN 'runs now, ' || phase
            WHEN ended IS NULL THEN 'is not on record'
            ELSE 'ended ' || seconds_ago || ' s ago' END AS state,
       passes, ended
  FROM judged
 ORDER BY seconds_ago NULLS LAST
 LIMIT 10;
