SELECT aurora_version()
