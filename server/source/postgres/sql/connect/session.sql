-- Settings of our own session. Those the server does not know are left out.
SELECT pg_catalog.set_config(s.name, v.value, false)
  FROM (VALUES ('default_transaction_read_only', 'on'),
               ('statement_timeout', $1::pg_catalog.text),
               ('lock_timeout', '100ms'),
               ('idle_in_transaction_session_timeout', '5s'),
               ('idle_session_timeout', '0'),
               ('stats_fetch_consistency', 'none'),
               ('jit', 'off'),
               ('max_parallel_workers_per_gather', '0'),
               ('search_path', 'pg_catalog'),
               ('DateStyle', 'ISO'),
               ('TimeZone', 'UTC'),
               ('client_min_messages', 'error')) AS v (name, value)
  JOIN pg_catalog.pg_settings AS s ON pg_catalog.lower(s.name) = pg_catalog.lower(v.name)
