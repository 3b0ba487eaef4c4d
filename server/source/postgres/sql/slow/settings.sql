-- current_setting costs a twentieth of reading pg_settings. A command may hold a
-- secret: only whether it is set leaves the server.
SELECT n.name,
       CASE WHEN n.name LIKE '%\_command' THEN
                 CASE WHEN pg_catalog.current_setting(n.name, true) = '' THEN 'not set' ELSE 'set' END
            ELSE pg_catalog.current_setting(n.name, true) END AS value
  FROM pg_catalog.unnest($1::pg_catalog.text[]) AS n (name)
 WHERE pg_catalog.current_setting(n.name, true) IS NOT NULL
