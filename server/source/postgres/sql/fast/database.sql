SELECT sum(xact_commit + xact_rollback)::pg_catalog.int8 AS transactions,
       count(stats_reset) AS stamped, max(stats_reset) AS reset
  FROM pg_catalog.pg_stat_database
