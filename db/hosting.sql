-- Hosting many archives: who may come in, on which terms, and how one archive leaves.

-- The terms of access, as the archive's owner writes them; renewed by each ingest and by `fonds archive add`.
-- The bounds are the house's: no owner's file asks for more.
CREATE TABLE private.access (
    archive_id        integer PRIMARY KEY REFERENCES private.archive ON DELETE CASCADE,
    anonymous         boolean NOT NULL DEFAULT false,
    caller_per_minute integer NOT NULL DEFAULT 60,
    caller_per_day    integer NOT NULL DEFAULT 2000,
    archive_per_day   integer NOT NULL DEFAULT 20000,
    private_per_day   integer,            -- NULL: half of the embedding's dimensions
    CONSTRAINT a_minute_is_bounded CHECK (caller_per_minute BETWEEN 1 AND 10000),
    CONSTRAINT a_day_is_bounded CHECK (caller_per_day BETWEEN 1 AND 1000000),
    CONSTRAINT an_archives_day_is_bounded CHECK (archive_per_day BETWEEN 1 AND 100000000),
    CONSTRAINT private_hits_are_bounded CHECK (private_per_day BETWEEN 1 AND 100000)
);

-- Keys by their hash: the text was shown once, and is kept nowhere. A key is revoked, never deleted, so that
-- a trace of it stays as long as its archive.
CREATE TABLE private.api_key (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    key_id     bigint GENERATED ALWAYS AS IDENTITY,
    key_hash   bytea NOT NULL UNIQUE,
    scopes     text[] NOT NULL,
    label      text NOT NULL DEFAULT 'key',
    minted_at  timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (archive_id, key_id),
    CONSTRAINT a_hash_is_sha256 CHECK (octet_length(key_hash) = 32),
    -- Not BETWEEN: joined to another condition, it comes back from a dump in other words.
    CONSTRAINT scopes_are_known CHECK (cardinality(scopes) >= 1 AND cardinality(scopes) <= 3 AND scopes <@ ARRAY['search', 'ask', 'admin']),
    CONSTRAINT a_label_is_short CHECK (label ~ '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$'),
    CONSTRAINT a_key_expires_after_it_is_minted CHECK (expires_at > minted_at)
);
ALTER TABLE private.api_key ALTER COLUMN key_hash SET STATISTICS 0, ALTER COLUMN label SET STATISTICS 0;

-- What left: the number an archive had, and how many rows went. It outlives the archive, so it references none.
CREATE TABLE private.removal (
    archive_id integer PRIMARY KEY,
    removed_at timestamptz NOT NULL DEFAULT now(),
    actor      text NOT NULL DEFAULT session_user,
    row_count  bigint NOT NULL CONSTRAINT rows_are_counted CHECK (row_count >= 0)
);

-- The door: an archive and a key in one answer. Every case makes the same look-ups, and what must not be told apart
-- gets the same answer: no key at a closed archive and at none; a key that is another's, revoked, expired or made
-- up. Numbers are told to whoever is admitted, and to nobody else.
CREATE FUNCTION api.admit(asked_slug text, asked_hash bytea, asked_scope text, OUT archive_id integer, OUT key_id bigint, OUT verdict text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    at_archive integer;
    is_open boolean;
    key_archive integer;
    with_key bigint;
    key_scopes text[];
BEGIN
    SELECT a.archive_id INTO at_archive FROM private.archive a WHERE a.slug = asked_slug AND a.leaving_at IS NULL;
    SELECT t.anonymous INTO is_open FROM private.access t WHERE t.archive_id = coalesce(at_archive, 0);
    SELECT k.archive_id, k.key_id, k.scopes INTO key_archive, with_key, key_scopes
      FROM private.api_key k
     WHERE k.key_hash = coalesce(asked_hash, '\x00') AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());
    verdict := CASE
        WHEN asked_hash IS NULL AND is_open AND asked_scope IN ('search', 'ask') THEN 'admitted'
        WHEN asked_hash IS NULL THEN 'no-key'
        WHEN key_archive = at_archive AND asked_scope = ANY (key_scopes) THEN 'admitted'
        WHEN key_archive = at_archive THEN 'no-scope'
        ELSE 'no-archive' END;
    IF verdict = 'admitted' THEN
        archive_id := at_archive;
        key_id := with_key;
    END IF;
END $$;

-- Keys of the archive in scope. A hash goes in and never comes out.
CREATE FUNCTION api.mint_key(asked_hash bytea, asked_scopes text[], asked_label text, asked_days integer)
    RETURNS TABLE (key_id bigint, minted_at timestamptz, expires_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    made record;
BEGIN
    INSERT INTO private.api_key (archive_id, key_hash, scopes, label, expires_at)
    VALUES (a, asked_hash, asked_scopes, asked_label, now() + make_interval(hours => 24 * asked_days))
    RETURNING api_key.key_id, api_key.minted_at, api_key.expires_at INTO made;
    INSERT INTO private.audit (archive_id, action, subject) VALUES (a, 'key mint', made.key_id::text);
    RETURN QUERY SELECT made.key_id, made.minted_at, made.expires_at;
END $$;

-- From the next request on it opens nothing, for good.
CREATE FUNCTION api.revoke_key(asked_key bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    UPDATE private.api_key SET revoked_at = now() WHERE archive_id = a AND key_id = asked_key AND revoked_at IS NULL;
    IF FOUND THEN
        INSERT INTO private.audit (archive_id, action, subject) VALUES (a, 'key revoke', asked_key::text);
        RETURN 'revoked';
    END IF;
    RETURN CASE WHEN EXISTS (SELECT FROM private.api_key WHERE archive_id = a AND key_id = asked_key)
                THEN 'unchanged' ELSE 'unknown' END;
END $$;

CREATE FUNCTION api.list_keys()
    RETURNS TABLE (key_id bigint, scopes text[], label text, minted_at timestamptz, expires_at timestamptz, revoked_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT k.key_id, k.scopes, k.label, k.minted_at, k.expires_at, k.revoked_at
      FROM private.api_key k WHERE k.archive_id = (SELECT api.scope()) ORDER BY k.key_id
$$;

-- Whose key was found where it should not be: by the digest of what was found, and only by the whole of it. A key that
-- is revoked or over is found as well.
CREATE FUNCTION api.find_key(asked_hash bytea) RETURNS TABLE (slug text, key_id bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT a.slug, k.key_id
      FROM private.api_key k JOIN private.archive a ON a.archive_id = k.archive_id WHERE k.key_hash = asked_hash
$$;

-- Every archive of this database with figures of its live build; those that are leaving, too. For the host alone.
CREATE FUNCTION api.list_archives()
    RETURNS TABLE (archive_id integer, slug text, created_at timestamptz, leaving_at timestamptz, anonymous boolean,
                   built_at timestamptz, entity_count integer, fragment_count integer, key_count bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT a.archive_id, a.slug, a.created_at, a.leaving_at, coalesce(t.anonymous, false), b.built_at, b.entity_count, b.fragment_count,
           (SELECT count(*) FROM private.api_key k
             WHERE k.archive_id = a.archive_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
      FROM private.archive a
      LEFT JOIN private.access t ON t.archive_id = a.archive_id
      LEFT JOIN served.live l ON l.archive_id = a.archive_id
      LEFT JOIN served.build b ON b.archive_id = l.archive_id AND b.build_id = l.build_id
     ORDER BY a.slug COLLATE "C"
$$;

-- What was removed, by number: after a backup is restored, what has to be removed again.
CREATE FUNCTION api.list_removals() RETURNS TABLE (archive_id integer, removed_at timestamptz, actor text, row_count bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT r.archive_id, r.removed_at, r.actor, r.row_count FROM private.removal r ORDER BY r.removed_at, r.archive_id
$$;

-- How an archive leaves: in order, in portions, and by what the catalogue says refers to it.

-- Every table whose rows go when an archive's row goes, the ones furthest from it first.
CREATE FUNCTION private.removal_order() RETURNS TABLE (relation oid, depth integer)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE cascades AS (
        SELECT DISTINCT conrelid AS below, confrelid AS above FROM pg_constraint
         WHERE contype = 'f' AND confdeltype = 'c' AND conrelid <> confrelid),
    reached (relation, depth, path) AS (
        SELECT 'private.archive'::regclass::oid, 0, ARRAY['private.archive'::regclass::oid]
        UNION ALL
        SELECT c.below, r.depth + 1, r.path || c.below
          FROM reached r JOIN cascades c ON c.above = r.relation WHERE c.below <> ALL (r.path))
    SELECT r.relation, max(r.depth) FROM reached r GROUP BY r.relation ORDER BY 2 DESC, 1
$$;

-- Tables that would keep something of an archive, or keep it from leaving: they name an archive and no cascade reaches
-- them, or they refer to what one reaches. Empty in a database as it is made; what is added later shows here.
CREATE FUNCTION api.unremovable() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH reached AS MATERIALIZED (SELECT relation FROM private.removal_order())
    SELECT n.nspname || '.' || c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'm', 'f') AND n.nspname !~ '^pg_' AND c.oid <> 'private.removal'::regclass
       AND c.oid NOT IN (SELECT relation FROM reached)
       AND (EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'archive_id' AND NOT t.attisdropped)
            OR EXISTS (SELECT FROM pg_constraint k
                        WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.confrelid IN (SELECT relation FROM reached)))
     ORDER BY 1
$$;

-- Holds every job of the archive until the transaction ends; raises 55P03 when one is running.
CREATE FUNCTION api.hold_jobs() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM job FROM private.job_lock WHERE archive_id = api.scope() ORDER BY job FOR UPDATE NOWAIT;
END $$;

-- From the commit of this on nobody is let in, no job finds the archive, and no reader sees a build of it:
-- what is erased afterwards, portion by portion, is seen by no new request.
CREATE FUNCTION api.begin_removal() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE private.archive SET leaving_at = now() WHERE archive_id = (SELECT api.scope()) AND leaving_at IS NULL;
    DELETE FROM served.live WHERE archive_id = (SELECT api.scope());
$$;

-- Erases one portion: rows of the first table that has any, so that what refers goes before what it refers to.
-- Returns how many; 0 when none is left that this role may erase by itself, the rest goes with the archive's row.
CREATE FUNCTION api.remove_portion(asked_most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    one regclass;
    gone bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM private.archive WHERE archive_id = a AND leaving_at IS NOT NULL) THEN
        RAISE EXCEPTION 'an archive that is not leaving keeps its rows' USING ERRCODE = '55000';
    END IF;
    -- The rows of private.job_lock are held by who removes, and its own row is an archive's last.
    FOR one IN SELECT o.relation::regclass FROM private.removal_order() o
                WHERE o.depth > 0 AND o.relation <> 'private.job_lock'::regclass AND has_table_privilege(o.relation, 'DELETE') LOOP
        EXECUTE format('DELETE FROM %s WHERE archive_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM %s WHERE archive_id = $1 LIMIT $2))', one, one)
          USING a, asked_most;
        GET DIAGNOSTICS gone = ROW_COUNT;
        IF gone > 0 THEN
            RETURN gone;
        END IF;
    END LOOP;
    RETURN 0;
END $$;

-- The archive's row, and by cascade whatever still refers to it. What was removed is noted where it stays.
CREATE FUNCTION api.finish_removal(asked_rows bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    DELETE FROM private.archive WHERE archive_id = a AND leaving_at IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an archive that is not leaving keeps its rows' USING ERRCODE = '55000';
    END IF;
    INSERT INTO private.removal (archive_id, row_count) VALUES (a, asked_rows);
END $$;
