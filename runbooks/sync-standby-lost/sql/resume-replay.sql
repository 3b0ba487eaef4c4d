SELECT pg_wal_replay_resume();
