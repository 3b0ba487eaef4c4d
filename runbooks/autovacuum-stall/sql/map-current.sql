-- How many pages were added since the last pass: what the next one may rewrite.
-- Without stallbook.table: the largest table that only grows.
WITH asked AS (
  SELECT nullif(current_setting('stallbook.schema', true), '') AS schema_name,
         nullif(current_setting('stallbook.table', true), '') AS table_name
), chosen AS (
  SELECT c.oid, n.nspname || '.' || c.relname AS table_name, c.relallvisible
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
   CROSS JOIN asked a
   WHERE c.relkind IN ('r', 'm')
     AND c.relpersistence = 'p'
     AND n.nspname NOT IN ('pg_catalog', 'information_schema')
     AND (a.table_name IS NULL OR c.relname = a.table_name)
     AND (a.schema_name IS NULL OR n.nspname = a.schema_name)
   ORDER BY coalesce(pg_stat_get_tuples_inserted(c.oid) >= 9 * (pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid)), false) DESC,
            c.relpages DESC
   LIMIT 1
), sized AS (
  SELECT chosen.*, pg_relation_size(oid) / current_setting('block_size')::bigint AS pages
    FROM chosen
)
SELECT table_name, pages, greatest(pages - relallvisible, 0) AS unvisited,
       round(100.0 * greatest(pages - relallvisible, 0) / nullif(pages, 0), 1) AS unvisited_pct,
       pg_stat_get_autovacuum_count(oid) AS passes,
       pg_stat_get_last_autovacuum_time(oid) AS last_pass
  FROM sized;
