-- Reads 40 random blocks past shared buffers and times each one.
-- Without stallbook.table: of the largest table that this role may read.
WITH asked AS (
  SELECT nullif(current_setting('stallbook.schema', true), '') AS schema_name,
         nullif(current_setting('stallbook.table', true), '') AS table_name
), chosen AS (
  SELECT c.oid::regclass AS relation
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
   CROSS JOIN asked a
   WHERE c.relkind IN ('r', 'm')
     AND c.relpersistence = 'p'
     AND c.relpages > 0
     AND c.oid >= 16384 -- below that are the system's own
     AND has_table_privilege(c.oid, 'SELECT')
     AND (a.table_name IS NULL OR c.relname = a.table_name)
     AND (a.schema_name IS NULL OR n.nspname = a.schema_name)
   ORDER BY c.relpages DESC
   LIMIT 1
), sized AS (
  SELECT relation, pg_relation_size(relation) / current_setting('block_size')::bigint AS blocks
    FROM chosen
), picks AS MATERIALIZED (
  SELECT relation, floor(random() * blocks)::bigint AS block
    FROM sized, generate_series(1, 40)
   WHERE blocks > 0
), reads AS MATERIALIZED (
  SELECT relation, clock_timestamp() AS t0,
         pg_prewarm(relation, 'read', 'main', block, block) AS n, clock_timestamp() AS t1
    FROM picks
)
SELECT round((1000 * percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM t1 - t0)::float8))::numeric, 2) AS p95_ms,
       round((1000 * max(extract(epoch FROM t1 - t0)))::numeric, 2) AS worst_ms,
       sum(n) AS blocks, relation::text AS relation
  FROM reads
 GROUP BY relation;
