SELECT labelfile FROM pg_stop_backup(false, false)
