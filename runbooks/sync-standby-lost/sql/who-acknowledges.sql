-- How many standbys must acknowledge a commit, and how many can?
WITH setting AS (
  SELECT current_setting('synchronous_standby_names') AS names
), need AS (
  SELECT names, CASE WHEN btrim(names) = '' THEN 0
              ELSE coalesce(substring(names FROM '^\s*(?:(?:[Aa][Nn][Yy]|[Ff][Ii][Rr][Ss][Tt])\s+)?(\d+)\s*\(')::int, 1)
              END AS required
    FROM setting
), have AS (
  SELECT count(*) AS connected,
         count(*) FILTER (WHERE state = 'streaming' AND sync_priority > 0) AS streaming
    FROM pg_stat_replication
)
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN required - streaming END AS short,
       CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN streaming - required END AS spare,
       required, streaming, connected, names,
       current_setting('synchronous_commit') AS synchronous_commit
  FROM need CROSS JOIN have;
