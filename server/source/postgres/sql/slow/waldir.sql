SELECT count(*) FILTER (WHERE f.name > w.current) AS spare
  FROM pg_catalog.pg_ls_waldir() AS f,
       (SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) AS current) AS w
 WHERE f.name ~ '^[0-9A-F]{24}$'
