SELECT pg_wal_replay_pause()
