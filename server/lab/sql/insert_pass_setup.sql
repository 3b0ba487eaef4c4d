CREATE TABLE IF NOT EXISTS public.usage_events (
    id bigserial PRIMARY KEY,
    customer bigint,
    metric text,
    at timestamptz DEFAULT now(),
    amount numeric,
    props jsonb
);
ALTER TABLE public.usage_events SET (
    autovacuum_enabled = off,
    autovacuum_vacuum_insert_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_cost_limit = 2000,
    autovacuum_vacuum_cost_delay = 2
);
