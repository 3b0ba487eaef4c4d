SELECT pg_backup_start('lab', true)
