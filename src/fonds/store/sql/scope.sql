-- name: moment
-- What a seal is bound to beside the archive, as api.scope() puts it together. The server is asked: behind a bouncer the
-- client does not know its process.
SELECT pg_catalog.int4send(pg_catalog.pg_backend_pid()) OPERATOR(pg_catalog.||) pg_catalog.timestamptz_send(pg_catalog.transaction_timestamp())
       OPERATOR(pg_catalog.||) pg_catalog.convert_to(session_user::pg_catalog.text, 'UTF8') AS moment

-- name: set_scope
-- For this transaction alone. Sent with other statements where a round trip counts.
SELECT pg_catalog.set_config('fonds.archive', %(archive)s, true)

-- name: set_bounded_scope
-- The same, and how long each statement may run from the next on.
SELECT pg_catalog.set_config('fonds.archive', %(archive)s, true), pg_catalog.set_config('statement_timeout', %(longest)s, true)

-- name: register_scope_key
-- A login's key, as the migrator, who cannot read it back.
SELECT api.register_scope_key(%(login)s, %(inner)s, %(outer)s);

-- name: try_scope
-- Raises where the database does not know the key by which this login's archive was set.
SELECT api.scope();
