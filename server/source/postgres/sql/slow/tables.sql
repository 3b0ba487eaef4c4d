-- The largest tables by relpages, which needs no lock; pg_relation_size would
-- wait behind an ALTER TABLE. Counters are asked only for those. Tables below
-- eight pages stall nobody, and leaving them out first makes the scan cheap.
WITH g AS (
    SELECT pg_catalog.current_setting('autovacuum_vacuum_insert_threshold')::pg_catalog.float8 AS threshold,
           pg_catalog.current_setting('autovacuum_vacuum_insert_scale_factor')::pg_catalog.float8 AS scale,
           pg_catalog.current_setting('autovacuum')::pg_catalog.bool AS enabled
), top AS (
    SELECT c.oid, c.relname, c.relnamespace, c.relpages, greatest(c.reltuples, 0)::pg_catalog.float8 AS reltuples,
           c.relallvisible, c.reloptions,
{{- if has "pg_class" "relallfrozen"}}
           CASE WHEN c.relpages > 0 AND c.relallfrozen > 0
                THEN 1 - least(c.relallfrozen, c.relpages)::pg_catalog.float8 / c.relpages ELSE 1 END AS unfrozen
{{- else}}
           1::pg_catalog.float8 AS unfrozen
{{- end}}
      FROM pg_catalog.pg_class AS c
     WHERE c.relpages >= 8 AND c.relkind IN ('r', 'm', 't') AND c.relpersistence = 'p'
       AND c.relnamespace <> 'pg_catalog'::pg_catalog.regnamespace
     ORDER BY c.relpages DESC
     LIMIT $1::pg_catalog.int4
), opted AS (
    SELECT top.*,
           coalesce(o.threshold, g.threshold) AS threshold, coalesce(o.scale, g.scale) AS scale,
           g.enabled AND coalesce(o.enabled, true) AS enabled
      FROM top CROSS JOIN g CROSS JOIN LATERAL (
           SELECT max(option_value::pg_catalog.float8) FILTER (WHERE option_name = 'autovacuum_vacuum_insert_threshold') AS threshold,
                  max(option_value::pg_catalog.float8) FILTER (WHERE option_name = 'autovacuum_vacuum_insert_scale_factor') AS scale,
                  pg_catalog.bool_and(option_value::pg_catalog.bool) FILTER (WHERE option_name = 'autovacuum_enabled') AS enabled
             FROM pg_catalog.pg_options_to_table(top.reloptions)
            WHERE option_name IN ('autovacuum_vacuum_insert_threshold', 'autovacuum_vacuum_insert_scale_factor', 'autovacuum_enabled')) AS o
)
SELECT t.oid::pg_catalog.int8 AS oid, pg_catalog.format('%I.%I', n.nspname, t.relname) AS name,
       t.relpages::pg_catalog.int8 AS pages, t.reltuples AS tuples, t.relallvisible::pg_catalog.int8 AS visible,
       CASE WHEN t.enabled AND t.threshold >= 0 THEN t.threshold + t.scale * t.reltuples * t.unfrozen END AS insert_trigger,
       pg_catalog.pg_stat_get_ins_since_vacuum(t.oid) AS inserts,
       pg_catalog.pg_stat_get_live_tuples(t.oid) AS live,
       pg_catalog.pg_stat_get_tuples_inserted(t.oid) AS inserted,
       pg_catalog.pg_stat_get_tuples_updated(t.oid) + pg_catalog.pg_stat_get_tuples_deleted(t.oid) AS changed,
       pg_catalog.pg_stat_get_autovacuum_count(t.oid) AS passes
  FROM opted AS t JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
 ORDER BY t.relpages DESC
