-- name: act_as_owner
-- The migrator owns nothing by itself; the library's text names no schema.
SELECT set_config('role', 'fonds_owner', true), set_config('search_path', 'jobs, pg_catalog', true),
       set_config('lock_timeout', '10s', true), set_config('statement_timeout', '10min', true);

-- name: lock_queue_version
-- One installation at a time: the second waits, and finds nothing to do. Whoever reads is not kept out.
LOCK TABLE jobs.queue_version IN SHARE ROW EXCLUSIVE MODE;

-- name: queue_version
SELECT version, migrations, schema_hash FROM jobs.queue_version;

-- name: note_queue_version
INSERT INTO jobs.queue_version (version, migrations, schema_hash)
VALUES (%(version)s, %(migrations)s, %(schema_hash)s)
ON CONFLICT (the_one) DO UPDATE
   SET version = EXCLUDED.version, migrations = EXCLUDED.migrations, schema_hash = EXCLUDED.schema_hash,
       installed_at = now();

-- name: release_queue_rows
-- A migration of the library may change rows: under forced row security the owner would find none, and nobody would know.
-- db/queue.sql forces it again in the same transaction.
ALTER TABLE jobs.procrastinate_jobs NO FORCE ROW LEVEL SECURITY;
