-- Puts the schema of one extension behind pg_catalog; no row: not installed.
SELECT set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
  FROM pg_extension e
  JOIN pg_namespace n ON n.oid = e.extnamespace
 WHERE e.extname = $1
