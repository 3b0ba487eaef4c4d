-- At how many inserts does the next pass come, and how much of the table is that?
-- The tables that only grow come first, the largest slice first.
WITH asked AS (
  SELECT nullif(current_setting('stallbook.schema', true), '') AS schema_name,
         nullif(current_setting('stallbook.table', true), '') AS table_name
), server AS (
  SELECT current_setting('autovacuum_vacuum_insert_threshold')::float8 AS threshold,
         current_setting('autovacuum_vacuum_insert_scale_factor')::float8 AS factor
), tables AS (
  SELECT c.oid, n.nspname || '.' || c.relname AS table_name, c.relpages,
         greatest(c.reltuples, 0)::float8 AS rows,
         coalesce(o.threshold, s.threshold) AS threshold,
         coalesce(o.factor, s.factor) AS factor,
         CASE WHEN o.factor IS NULL THEN 'server' ELSE 'table' END AS set_on,
         coalesce(o.enabled, true) AS enabled,
         -- pg_class has relallfrozen from 18 on, where frozen pages do not count
         CASE WHEN c.relpages > 0 AND (to_jsonb(c) ->> 'relallfrozen')::float8 > 0
              THEN 1 - least((to_jsonb(c) ->> 'relallfrozen')::float8, c.relpages) / c.relpages
              ELSE 1 END AS unfrozen
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
   CROSS JOIN asked a
   CROSS JOIN server s
   CROSS JOIN LATERAL (
         SELECT max(option_value) FILTER (WHERE option_name = 'autovacuum_vacuum_insert_threshold')::float8 AS threshold,
                max(option_value) FILTER (WHERE option_name = 'autovacuum_vacuum_insert_scale_factor')::float8 AS factor,
                max(option_value) FILTER (WHERE option_name = 'autovacuum_enabled')::bool AS enabled
           FROM pg_options_to_table(c.reloptions)) o
   WHERE c.relkind IN ('r', 'm')
     AND c.relpersistence = 'p'
     AND (a.table_name IS NULL OR c.relname = a.table_name)
     AND (a.schema_name IS NULL OR n.nspname = a.schema_name)
   ORDER BY c.relpages DESC
   LIMIT 200
), triggers AS (
  SELECT t.*, pg_stat_get_ins_since_vacuum(oid) AS inserted,
         CASE WHEN threshold < 0 OR NOT enabled THEN NULL
              ELSE threshold + factor * rows * unfrozen END AS pass_at,
         pg_stat_get_tuples_inserted(oid) AS ins,
         pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid) AS other
    FROM tables t
)
SELECT table_name, factor AS scale_factor, set_on, inserted AS inserted_since_pass,
       round(pass_at::numeric) AS pass_at,
       round((100 * least(1, pass_at / nullif(rows, 0)))::numeric, 1) AS slice_pct,
       round((least(1, pass_at / nullif(rows, 0)) * relpages
              * current_setting('block_size')::float8 / 1048576)::numeric, 1) AS slice_mib,
       round(100.0 * ins / nullif(ins + other, 0), 1) AS inserts_pct
  FROM triggers
 ORDER BY coalesce(ins >= 9 * other AND ins > 0, false) DESC, slice_mib DESC NULLS LAST
 LIMIT 20;
