SELECT d.datname::pg_catalog.text AS name, d.datallowconn AS allowed,
       pg_catalog.has_database_privilege(current_user, d.oid, 'CONNECT') AS granted
  FROM pg_catalog.pg_database AS d
 WHERE NOT d.datistemplate
 ORDER BY 1
