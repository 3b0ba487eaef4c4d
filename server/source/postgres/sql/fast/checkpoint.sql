-- The times are added when a checkpoint or restartpoint ends.
{{- if has "pg_stat_checkpointer" "sync_time"}}
SELECT write_time::pg_catalog.int8 AS write_ms, sync_time::pg_catalog.int8 AS sync_ms,
       {{col "pg_stat_checkpointer" "num_done" "int8"}} + restartpoints_done AS done, stats_reset AS reset
  FROM pg_catalog.pg_stat_checkpointer
{{- else}}
SELECT {{col "pg_stat_bgwriter" "checkpoint_write_time" "int8"}} AS write_ms,
       {{col "pg_stat_bgwriter" "checkpoint_sync_time" "int8"}} AS sync_ms,
       NULL::pg_catalog.int8 AS done, stats_reset AS reset
  FROM pg_catalog.pg_stat_bgwriter
{{- end}}
