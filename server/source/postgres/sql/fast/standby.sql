SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_receive_lsn(), '0/0')::pg_catalog.int8 AS received,
       pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::pg_catalog.int8 AS replayed,
       pg_catalog.pg_last_xact_replay_timestamp() AS replayed_at,
       (SELECT count(*) FROM pg_catalog.pg_stat_get_wal_receiver() AS w WHERE w.pid IS NOT NULL) AS receivers
