ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)';
SELECT pg_reload_conf();
