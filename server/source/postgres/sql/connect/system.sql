SELECT system_identifier::pg_catalog.text FROM pg_catalog.pg_control_system()
