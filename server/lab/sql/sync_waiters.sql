SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
