SET statement_timeout = 0;
SET lock_timeout = '2s';
WITH leaves AS (
  SELECT c.oid, c.reltoastrelid AS toast
    FROM pg_class c
   WHERE c.relkind IN ('r', 'm')
     AND (c.oid = {{relation|literal}}::regclass
          OR c.oid IN (SELECT t.relid FROM pg_partition_tree({{relation|literal}}::regclass) t))
), parts AS (
  SELECT 1 AS turn, oid AS part FROM leaves
  UNION ALL SELECT 2, x.indexrelid FROM leaves l JOIN pg_index x ON x.indrelid = l.oid
  UNION ALL SELECT 3, toast FROM leaves WHERE toast <> 0
  UNION ALL SELECT 4, x.indexrelid FROM leaves l JOIN pg_index x ON x.indrelid = l.toast
)
SELECT part::regclass AS relation, pg_prewarm(part::regclass, 'prefetch', 'main') AS blocks
  FROM parts
 ORDER BY turn;
