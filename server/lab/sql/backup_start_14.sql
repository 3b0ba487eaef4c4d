SELECT pg_start_backup('lab', true, false)
