-- The roles of a server that holds archives. Cluster objects: run once by whoever administers
-- the server (the embedded server does it itself). Idempotent; sets no password.
-- Login roles are what processes connect as. The others own objects or functions and never log in.
DO $roles$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY[
        'fonds_owner',      -- owns every object; has no policy, so under forced row security it reads nothing
        'fonds_nearest',    -- owns api.nearest: reads vectors of the archive in scope
        'fonds_narrower',   -- owns the narrowing triggers: takes out of served what was withdrawn
        'fonds_registrar',  -- owns what finds and registers archives: slugs, names and terms
        'fonds_clerk',      -- owns api.note_refusal and api.keep_questions: appends refusal records, erases questions
        'fonds_doorkeeper', -- owns api.admit and api.find_key: compares the hash of a key, tells whose it is
        'fonds_overseer',   -- owns api.standing: runs, refusals by reason and limits of the archive in scope, in numbers
        'fonds_lister',     -- owns what lists the archives of a host, in numbers, and those removed
        'fonds_keysmith',   -- owns what mints, lists and revokes keys: writes hashes it cannot read back
        'fonds_limiter',    -- owns what counts requests: counters and the limits of an archive, nothing else
        'fonds_sealer',     -- owns api.scope: reads the key of the login that asks, and nothing else
        'fonds_indexer',    -- owns what makes the approximate index of a build, and the tables those are
        'fonds_remover'     -- owns what removes an archive: deletes rows it cannot read
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', role_name);
        END IF;
        EXECUTE format('ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION NOLOGIN', role_name);
    END LOOP;
    FOREACH role_name IN ARRAY ARRAY[
        'fonds_migrator',   -- may SET ROLE fonds_owner; runs migrations
        'fonds_ingest',     -- writes private rows; nothing on served
        'fonds_build',      -- reads private, writes served
        'fonds_curator',    -- edits, reviews and vetoes projections
        'fonds_reader',     -- serves: content of the live build by row, and a few functions
        'fonds_host',       -- administers archives and keys; reads no content and no hash
        'fonds_queue'       -- the queue of jobs, in a schema of its own; no content
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT', role_name);
        END IF;
        EXECUTE format('ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION', role_name);
    END LOOP;
END
$roles$;

GRANT fonds_owner TO fonds_migrator WITH INHERIT FALSE, SET TRUE;
-- The owner hands functions to the narrow roles, and needs SET for that alone.
GRANT fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith, fonds_lister, fonds_limiter,
    fonds_overseer, fonds_remover, fonds_sealer, fonds_indexer
    TO fonds_owner WITH INHERIT FALSE, SET TRUE;
