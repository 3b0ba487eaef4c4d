-- Did the server start or reload its settings lately?
SELECT round(extract(epoch FROM clock_timestamp() - greatest(pg_postmaster_start_time(), pg_conf_load_time()))::numeric / 60, 1) AS changed_min_ago,
       pg_postmaster_start_time() AS started, pg_conf_load_time() AS reloaded,
       (SELECT count(*) FROM pg_settings WHERE pending_restart) AS waiting_for_restart;
