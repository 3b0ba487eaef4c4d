-- Does this standby receive WAL, and what must it replay before it asks again?
WITH wal AS (
  SELECT pg_is_in_recovery() AS standby,
         pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS left_bytes
)
SELECT CASE WHEN standby THEN (SELECT count(*) FROM pg_stat_wal_receiver) END AS receivers,
       round(greatest(left_bytes, 0) / 1048576, 1) AS unreplayed_mib,
       CASE WHEN standby THEN pg_get_wal_replay_pause_state() END AS replay
  FROM wal;
