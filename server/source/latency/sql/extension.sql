-- Where pg_stat_statements is, if this database has it: its schema need not be
-- on the search path.
SELECT quote_ident(n.nspname)
  FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
 WHERE e.extname = 'pg_stat_statements';
