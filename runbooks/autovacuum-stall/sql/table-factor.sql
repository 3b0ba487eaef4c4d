SET lock_timeout = '2s';
ALTER TABLE {{relation|ident}} SET (autovacuum_vacuum_insert_scale_factor = 0.02);
