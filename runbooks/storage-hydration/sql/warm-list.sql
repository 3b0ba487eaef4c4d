-- What is there to load in this database: tables, indexes, TOAST and its
-- indexes, the busiest first, then the largest. Sizes are those of the last vacuum.
WITH parts AS (
  SELECT c.oid, c.relkind, c.relpages,
         CASE c.relkind WHEN 'i' THEN x.indrelid WHEN 't' THEN h.oid ELSE c.oid END AS parent
    FROM pg_class c
    LEFT JOIN pg_index x ON x.indexrelid = c.oid
    LEFT JOIN pg_class h ON h.reltoastrelid = c.oid AND c.relkind = 't'
   WHERE c.relkind IN ('r', 'm', 'i', 't') AND c.relpersistence = 'p' AND c.relpages > 0
)
SELECT p.oid::regclass::text AS relation, p.parent::regclass::text AS belongs_to,
       CASE p.relkind WHEN 'i' THEN 'index' WHEN 't' THEN 'toast' ELSE 'table' END AS kind,
       round(p.relpages * current_setting('block_size')::numeric / 1048576, 1) AS mib,
       round(sum(p.relpages) OVER () * current_setting('block_size')::numeric / 1048576) AS total_mib,
       coalesce(pg_stat_get_blocks_fetched(p.oid), 0) AS blocks_used
  FROM parts p
 WHERE p.parent >= 16384 -- below that are the system's own
 ORDER BY blocks_used DESC, p.relpages DESC
 LIMIT 50;
