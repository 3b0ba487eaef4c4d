SELECT prefetch, hit, skip_fpw, stats_reset AS reset
  FROM pg_catalog.pg_stat_recovery_prefetch
