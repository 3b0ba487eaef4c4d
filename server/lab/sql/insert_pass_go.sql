ALTER TABLE public.usage_events SET (autovacuum_enabled = on)
