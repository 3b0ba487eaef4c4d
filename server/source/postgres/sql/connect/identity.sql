SELECT pg_catalog.current_setting('server_version_num') AS num,
       pg_catalog.pg_backend_pid() AS pid,
       pg_catalog.pg_is_in_recovery() AS in_recovery
