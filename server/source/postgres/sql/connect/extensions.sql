SELECT a.name::pg_catalog.text AS name, a.default_version AS available, coalesce(a.installed_version, '') AS installed
  FROM pg_catalog.pg_available_extensions AS a
 WHERE a.name IN ('pg_stat_statements', 'pg_prewarm')
 ORDER BY 1
