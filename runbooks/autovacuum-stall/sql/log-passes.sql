ALTER SYSTEM SET log_autovacuum_min_duration = 0;
SELECT pg_reload_conf();
