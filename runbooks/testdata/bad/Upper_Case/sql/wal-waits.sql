SELECT count(*) AS waiting
  FROM pg_stat_activity
 WHERE lower(wait_event) = 'walwrite';
