-- How much WAL is on this standby's disk and not yet replayed?
WITH wal AS (
  SELECT pg_last_wal_receive_lsn() AS received, pg_last_wal_replay_lsn() AS replayed
)
SELECT round(greatest(pg_wal_lsn_diff(received, replayed), 0) / 1048576, 1) AS unreplayed_mib,
       CASE WHEN received <= replayed THEN 0
            ELSE round(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::numeric) END AS behind_s,
       (SELECT count(*) FROM pg_stat_wal_receiver) AS receivers
  FROM wal;
