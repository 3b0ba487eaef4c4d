-- current_setting costs a twentieth of reading pg_settings. A command may hold a
-- secret: only whether it is set leaves the server. data_directory is for those
-- who may read every setting; for others it is as if it were not there.
SELECT n.name,
       CASE WHEN n.name LIKE '%\_command' THEN
                 CASE WHEN pg_catalog.current_setting(n.name, true) = '' THEN 'not set' ELSE 'set' END
            ELSE pg_catalog.current_setting(n.name, true) END AS value
  FROM pg_catalog.unnest($1::pg_catalog.text[]) AS n (name)
 WHERE CASE WHEN n.name = 'data_directory' AND NOT pg_catalog.pg_has_role('pg_read_all_settings', 'USAGE') THEN false
            ELSE pg_catalog.current_setting(n.name, true) IS NOT NULL END
