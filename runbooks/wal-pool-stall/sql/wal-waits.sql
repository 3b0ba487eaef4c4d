-- Does a session create a WAL segment at this moment, and who waits behind it?
-- The wait events are spelt WALInit… up to 16 and WalInit… from 17 on.
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            THEN count(*) FILTER (WHERE lower(wait_event) IN ('walinitwrite', 'walinitsync')) END AS creating,
       count(*) FILTER (WHERE lower(wait_event) IN ('walwrite', 'walsync', 'walinsert', 'walbufmapping')) AS behind,
       count(*) FILTER (WHERE state = 'active') AS active
  FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid();
