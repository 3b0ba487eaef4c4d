SELECT pg_promote(true, 30)
