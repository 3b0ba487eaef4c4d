SELECT count(*) FROM pg_stat_replication
 WHERE application_name = $1 AND state = 'streaming' AND sync_state IN ('sync', 'quorum')
