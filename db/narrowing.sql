-- Narrowing is immediate, widening waits for a build. What was withdrawn leaves every kept build at
-- once, so that no rollback revives it; a build in flight re-applies what came after its snapshot.

-- Reduces one fragment in the given builds: to a location, or to nothing. An emptied entity goes too.
CREATE FUNCTION api.reduce_fragment(asked_fragment text, asked_target text, only_build integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    IF asked_target = 'locator' THEN
        UPDATE served.fragment
           SET exposure = 'locator', text = '', summary = '', trail = '{}', gist = NULL, gist_source = NULL, gist_review = NULL
         WHERE archive_id = a AND fragment_id = asked_fragment AND exposure <> 'locator'
           AND (only_build IS NULL OR build_id = only_build);
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM served.fragment
         WHERE archive_id = a AND fragment_id = asked_fragment AND (only_build IS NULL OR build_id = only_build)
        RETURNING build_id, entity_id),
    emptied AS (
        DELETE FROM served.entity e USING gone
         WHERE e.archive_id = a AND e.build_id = gone.build_id AND e.entity_id = gone.entity_id
           AND NOT EXISTS (SELECT FROM served.fragment f
                            WHERE f.archive_id = a AND f.build_id = e.build_id AND f.entity_id = e.entity_id
                              AND f.fragment_id <> asked_fragment)
        RETURNING e.build_id, e.raw)
    UPDATE served.build b
       SET fragment_count = b.fragment_count - 1,
           entity_count = b.entity_count - (SELECT count(*) FROM emptied x WHERE x.build_id = b.build_id),
           public_entity_count = b.public_entity_count - (SELECT count(*) FROM emptied x WHERE x.build_id = b.build_id AND x.raw = 'public')
      FROM gone
     WHERE b.archive_id = a AND b.build_id = gone.build_id;
END $$;

-- Notes a narrowing under the archive's row lock and applies it to every kept build.
CREATE FUNCTION api.narrow_fragment(asked_fragment text, asked_target text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    a integer := api.scope();
    counter bigint;
BEGIN
    UPDATE private.archive SET narrowing = narrowing + 1 WHERE archive_id = a RETURNING narrowing INTO counter;
    INSERT INTO private.narrowing (archive_id, narrowing, fragment_id, target)
    VALUES (a, counter, asked_fragment, asked_target);
    PERFORM api.reduce_fragment(asked_fragment, asked_target, NULL);
END $$;

-- Applies to one build every narrowing later than its snapshot; the switch calls it under the row lock.
CREATE FUNCTION api.catch_up_narrowing(asked_build integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    a integer := api.scope();
    later record;
    applied integer := 0;
    snapshot bigint;
BEGIN
    PERFORM FROM private.archive WHERE archive_id = a FOR UPDATE;
    SELECT narrowing INTO snapshot FROM served.build WHERE archive_id = a AND build_id = asked_build;
    FOR later IN SELECT narrowing, fragment_id, target FROM private.narrowing
                  WHERE archive_id = a AND narrowing > snapshot ORDER BY narrowing LOOP
        PERFORM api.reduce_fragment(later.fragment_id, later.target, asked_build);
        applied := applied + 1;
        snapshot := later.narrowing;
    END LOOP;
    UPDATE served.build SET narrowing = snapshot WHERE archive_id = a AND build_id = asked_build AND narrowing <> snapshot;
    RETURN applied;
END $$;

CREATE FUNCTION api.strictness(exposure text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog
AS $$
    SELECT CASE exposure WHEN 'text' THEN 0 WHEN 'semantic' THEN 1 WHEN 'locator' THEN 2 WHEN 'none' THEN 3 END
$$;

-- A fragment that left, turned private, or asks for less.
CREATE FUNCTION private.narrow_with_fragment() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM api.narrow_fragment(OLD.fragment_id, 'none');
        RETURN NULL;
    END IF;
    IF NEW.raw = 'private' AND OLD.raw = 'public' THEN
        PERFORM api.narrow_fragment(NEW.fragment_id, 'none');
    ELSIF api.strictness(NEW.exposure) > api.strictness(OLD.exposure) THEN
        PERFORM api.narrow_fragment(NEW.fragment_id, CASE NEW.exposure WHEN 'none' THEN 'none' ELSE 'locator' END);
    END IF;
    -- A gist describes the text it was written against; other text makes it stale until it is edited or reviewed again.
    IF NEW.text_hash <> OLD.text_hash THEN
        UPDATE private.projection SET stale = true
         WHERE archive_id = NEW.archive_id AND fragment_id = NEW.fragment_id
           AND content_hash <> NEW.text_hash AND NOT stale;
    END IF;
    RETURN NULL;
END $$;

-- A gist that may no longer travel: vetoed, stale, failed, rewritten, unreviewed where review is asked, or gone.
CREATE FUNCTION private.narrow_with_projection() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM api.narrow_described(OLD.fragment_id);
    ELSIF (NEW.vetoed AND NOT OLD.vetoed) OR (NEW.stale AND NOT OLD.stale)
       OR NEW.gist IS DISTINCT FROM OLD.gist
       OR (NEW.review = 'unreviewed' AND OLD.review = 'reviewed'
           AND EXISTS (SELECT FROM private.fragment f JOIN private.entity e USING (archive_id, entity_id)
                        WHERE f.archive_id = NEW.archive_id AND f.fragment_id = NEW.fragment_id AND e.require_review)) THEN
        PERFORM api.narrow_described(NEW.fragment_id);
    END IF;
    RETURN NULL;
END $$;

-- Only a described fragment loses its gist; one served as text keeps its text.
CREATE FUNCTION api.narrow_described(asked_fragment text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
    IF EXISTS (SELECT FROM private.fragment
                WHERE archive_id = (SELECT api.scope()) AND fragment_id = asked_fragment AND exposure = 'semantic') THEN
        PERFORM api.narrow_fragment(asked_fragment, 'locator');
    END IF;
END $$;

-- Review newly asked for: gists nobody reviewed stop travelling.
CREATE FUNCTION private.narrow_with_entity() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    unreviewed text;
BEGIN
    IF NEW.require_review AND NOT OLD.require_review THEN
        FOR unreviewed IN SELECT p.fragment_id FROM private.fragment f JOIN private.projection p USING (archive_id, fragment_id)
                           WHERE f.archive_id = NEW.archive_id AND f.entity_id = NEW.entity_id AND p.review = 'unreviewed' LOOP
            PERFORM api.narrow_described(unreviewed);
        END LOOP;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER narrows_at_once AFTER UPDATE OF raw, exposure, text_hash OR DELETE ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_fragment();
CREATE TRIGGER narrows_at_once AFTER UPDATE OR DELETE ON private.projection
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_projection();
CREATE TRIGGER narrows_at_once AFTER UPDATE OF require_review ON private.entity
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_entity();

-- The ledger remembers what was private by id and keyed hash, and outlives the rows.
CREATE FUNCTION private.keep_ledger() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    key bytea;
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE private.ledger SET removed_at = now() WHERE archive_id = OLD.archive_id AND fragment_id = OLD.fragment_id;
        RETURN NULL;
    END IF;
    IF NEW.raw = 'private' THEN
        SELECT ledger_key INTO key FROM private.archive WHERE archive_id = NEW.archive_id;
        INSERT INTO private.ledger AS l (archive_id, fragment_id, entity_id, body_hash, exposure)
        VALUES (NEW.archive_id, NEW.fragment_id, NEW.entity_id,
                encode(sha256(key || convert_to(NEW.text_hash, 'UTF8')), 'hex'), NEW.exposure)
        ON CONFLICT (archive_id, fragment_id) DO UPDATE
           SET body_hash = EXCLUDED.body_hash, removed_at = NULL,
               exposure = CASE WHEN api.strictness(EXCLUDED.exposure) > api.strictness(l.exposure) THEN EXCLUDED.exposure ELSE l.exposure END;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER remembers_private AFTER INSERT OR UPDATE OF raw, exposure, text_hash OR DELETE ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.keep_ledger();

-- Whether an entity id, or any of these text hashes, was private in this archive. Says so and no more.
CREATE FUNCTION api.was_private(asked_entity text, asked_hashes text[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$
    SELECT EXISTS (SELECT FROM private.ledger WHERE archive_id = (SELECT api.scope()) AND entity_id = asked_entity)
        OR EXISTS (SELECT FROM private.ledger l, private.archive a
                    WHERE l.archive_id = (SELECT api.scope()) AND a.archive_id = l.archive_id
                      AND l.body_hash = ANY (SELECT encode(sha256(a.ledger_key || convert_to(h, 'UTF8')), 'hex') FROM unnest(asked_hashes) AS h))
$$;

-- The owner says that this was private and is to be public.
CREATE FUNCTION api.forget_private(asked_entity text, asked_hashes text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
    DELETE FROM private.ledger l USING private.archive a
     WHERE l.archive_id = (SELECT api.scope()) AND a.archive_id = l.archive_id
       AND (l.entity_id = asked_entity
            OR l.body_hash = ANY (SELECT encode(sha256(a.ledger_key || convert_to(h, 'UTF8')), 'hex') FROM unnest(asked_hashes) AS h));
    INSERT INTO private.audit (archive_id, action, subject) VALUES ((SELECT api.scope()), 'publish', asked_entity)
$$;

-- TRUNCATE goes past every policy and every row trigger.
CREATE FUNCTION private.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog
AS $$
BEGIN
    RAISE EXCEPTION 'rows of an archive are deleted, never truncated' USING ERRCODE = '0A000';
END $$;
