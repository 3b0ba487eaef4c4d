-- For this transaction only, so that a pooler in the path keeps nothing of it.
-- The search path keeps a function that someone made from standing in for a
-- built-in one.
SELECT set_config('search_path', 'pg_catalog', true),
       set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true),
       set_config('stallbook.schema', $4, true),
       set_config('stallbook.table', $5, true)
