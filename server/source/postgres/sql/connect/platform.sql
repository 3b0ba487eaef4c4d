-- What a managed service leaves behind: its settings, its roles, its socket folder.
SELECT DISTINCT 'setting' AS kind, pg_catalog.split_part(pg_catalog.split_part(name, '.', 1), '_', 1) AS name
  FROM pg_catalog.pg_settings
 WHERE name LIKE '%.%' OR name LIKE 'apg\_%' OR name LIKE 'aurora\_%'
UNION ALL
SELECT 'role', rolname::pg_catalog.text
  FROM pg_catalog.pg_roles
 WHERE rolname IN ('rdsadmin', 'cloudsqlsuperuser', 'azure_pg_admin', 'alloydbsuperuser', 'neon_superuser', 'supabase_admin')
UNION ALL
-- Hidden from a role without pg_read_all_settings: no row then, and no error.
SELECT 'socket', setting FROM pg_catalog.pg_settings WHERE name = 'unix_socket_directories'
