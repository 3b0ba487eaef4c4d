-- Does a page that a pass only marks go through WAL in full?
SELECT CASE WHEN current_setting('full_page_writes') = 'on'
             AND 'on' IN (current_setting('data_checksums'), current_setting('wal_log_hints'))
            THEN 'yes' ELSE 'no' END AS images,
       current_setting('data_checksums') AS data_checksums,
       current_setting('wal_log_hints') AS wal_log_hints,
       current_setting('full_page_writes') AS full_page_writes,
       current_setting('wal_compression') AS wal_compression;
