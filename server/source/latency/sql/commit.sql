-- The smallest commit that must reach the disk, and the synchronous standby: a
-- WAL record without a table behind it.
SELECT pg_catalog.pg_logical_emit_message(true, 'stallbook', '');
