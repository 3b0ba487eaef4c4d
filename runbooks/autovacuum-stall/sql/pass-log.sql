-- Does the server log name passes that are short enough to matter?
SELECT CASE WHEN setting::int BETWEEN 0 AND 1000 THEN 'yes' ELSE 'no' END AS logged,
       setting::int AS from_ms,
       CASE WHEN setting::int < 0 THEN 'no pass at all'
            WHEN setting::int = 0 THEN 'every pass'
            ELSE 'passes of ' || setting || ' ms and longer' END AS logs
  FROM pg_settings
 WHERE name = 'log_autovacuum_min_duration';
