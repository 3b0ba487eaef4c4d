INSERT INTO public.traffic (what) SELECT 'event ' || g FROM generate_series(1, 5) AS g
