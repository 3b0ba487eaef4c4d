-- Is a checkpoint at work, and when did the last finished one begin?
SELECT CASE WHEN NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN NULL
            WHEN lower(a.wait_event) = 'checkpointermain' THEN 'no'
            ELSE 'yes' END AS at_work,
       coalesce(a.wait_event_type || ':' || a.wait_event, 'no wait') AS doing,
       round(extract(epoch FROM clock_timestamp() - c.checkpoint_time)::numeric) AS last_began_s_ago
  FROM pg_control_checkpoint() c
  LEFT JOIN pg_stat_activity a ON a.backend_type = 'checkpointer';
