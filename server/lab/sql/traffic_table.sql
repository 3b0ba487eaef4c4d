CREATE TABLE IF NOT EXISTS public.traffic (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), what text)
