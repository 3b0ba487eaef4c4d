-- Where pg_stat_statements is, if this database has it: its schema need not be
-- on the search path. And who we are, to name in a GRANT.
SELECT quote_ident(n.nspname), quote_ident(current_user)
  FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
 WHERE e.extname = 'pg_stat_statements';
