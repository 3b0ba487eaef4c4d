SELECT {{col "pg_stat_wal" "wal_fpi" "int8"}} AS fpi,
       {{col "pg_stat_wal" "wal_buffers_full" "int8"}} AS buffers_full,
       {{col "pg_stat_wal" "stats_reset" "timestamptz"}} AS reset
  FROM pg_catalog.pg_stat_wal
