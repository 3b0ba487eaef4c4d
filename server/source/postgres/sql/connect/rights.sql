-- Who we are and what we may see. Asked at connect and again in the slow loop,
-- so that a GRANT is noticed without a reconnect.
SELECT current_user::pg_catalog.text AS role,
       pg_catalog.current_database()::pg_catalog.text AS database,
       pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block,
       pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS all_stats,
       pg_catalog.pg_has_role(current_user, 'pg_monitor', 'USAGE') AS monitor,
       pg_catalog.has_function_privilege(current_user, 'pg_catalog.pg_ls_waldir()', 'EXECUTE') AS waldir
