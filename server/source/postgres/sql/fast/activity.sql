-- The function behind pg_stat_activity: the view would lock two shared catalogs.
-- Wait event names are compared without case: WALSync up to 16, WalSync from 17.
SELECT count(*) FILTER (WHERE client AND state = 'active') AS active,
       coalesce(max(extract(epoch FROM pg_catalog.clock_timestamp() - xact_start))
                FILTER (WHERE client AND state = 'active'), 0)::pg_catalog.float8 AS oldest_s,
       count(*) FILTER (WHERE client AND event IN ('walwrite', 'walsync', 'walsyncmethodassign', 'walbufmapping')) AS wal,
       count(*) FILTER (WHERE event = 'syncrep') AS sync_rep,
       count(*) FILTER (WHERE kind IN ('client backend', 'parallel worker')
                          AND event IN ('datafileread', 'bufferio', 'aioiocompletion', 'aioiouringexecution')) AS data_read,
       count(*) FILTER (WHERE kind <> 'walreceiver' AND event IN ('walinitwrite', 'walinitsync')) AS wal_init,
       count(*) FILTER (WHERE client AND event_type = 'Lock') AS lock,
       count(*) FILTER (WHERE kind = 'startup' AND event IN ('datafileread', 'aioiocompletion')) AS startup_read
  FROM (SELECT backend_type AS kind, backend_type = 'client backend' AS client, state, xact_start,
               wait_event_type AS event_type, pg_catalog.lower(wait_event) AS event
          FROM pg_catalog.pg_stat_get_activity(NULL)
         WHERE pid <> pg_catalog.pg_backend_pid()) AS a
