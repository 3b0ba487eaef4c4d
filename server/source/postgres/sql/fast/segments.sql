-- One write in the context init is one new WAL segment (18 and later).
SELECT sum(writes)::pg_catalog.int8 AS created, max(stats_reset) AS reset
  FROM pg_catalog.pg_stat_io
 WHERE object = 'wal' AND context = 'init'
