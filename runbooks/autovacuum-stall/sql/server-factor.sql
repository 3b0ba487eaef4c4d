ALTER SYSTEM SET autovacuum_vacuum_insert_scale_factor = 0.02;
SELECT pg_reload_conf();
