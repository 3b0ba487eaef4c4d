ALTER SYSTEM SET wal_buffers = '64MB';
