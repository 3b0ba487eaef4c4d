INSERT INTO public.usage_events (customer, metric, amount, props)
SELECT (random() * 10000)::int, 'api_call', random() * 100,
       jsonb_build_object('region', 'one', 'path', '/v1/things/' || g % 1000)
  FROM generate_series(1, $1::int) AS g
