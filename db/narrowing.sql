-- Narrowing is immediate, widening waits for a build. What was withdrawn leaves every kept build at
-- once, so that no rollback revives it; a build in flight re-applies what came after its snapshot.

-- Reduces one fragment in every kept build, or in one: takes its gist back, to a location, or to nothing.
-- What that leaves behind is api.settle_builds's.
-- Plans are kept: statistics know nothing of a build just written, and each cascade would be planned anew
-- for it, 9 ms a fragment in place of 0.7.
CREATE FUNCTION api.reduce_fragment(asked_fragment text, asked_target text, only_build integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    IF asked_target <> 'none' THEN
        UPDATE served.fragment
           SET exposure = 'locator', text = '', summary = '', trail = '{}', gist = NULL, gist_source = NULL, gist_review = NULL
         WHERE archive_id = a AND fragment_id = asked_fragment
           AND (exposure = 'semantic' OR (exposure = 'text' AND asked_target = 'locator'))
           AND (only_build IS NULL OR build_id = only_build);
        RETURN;
    END IF;
    DELETE FROM served.fragment
     WHERE archive_id = a AND fragment_id = asked_fragment AND (only_build IS NULL OR build_id = only_build);
END $$;

-- Takes emptied entities out of kept builds, and brings the counts back in line with the rows.
-- A build in flight shows neither rows nor counts. Under row security the planner would look for the
-- fragments of one entity after the other, in all of a build.
CREATE FUNCTION api.settle_builds(only_build integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET plan_cache_mode = force_generic_plan
AS $$
    DELETE FROM served.entity e
     WHERE e.archive_id = (SELECT api.scope()) AND (only_build IS NULL OR e.build_id = only_build)
       AND NOT EXISTS (SELECT FROM served.fragment f
                        WHERE f.archive_id = e.archive_id AND f.build_id = e.build_id AND f.entity_id = e.entity_id);
    -- What stood below it names no parent: an id is a trace as well (R026).
    UPDATE served.entity e SET parent = NULL
     WHERE e.archive_id = (SELECT api.scope()) AND (only_build IS NULL OR e.build_id = only_build) AND e.parent IS NOT NULL
       AND NOT EXISTS (SELECT FROM served.entity above
                        WHERE above.archive_id = e.archive_id AND above.build_id = e.build_id AND above.entity_id = e.parent);
    UPDATE served.build b
       SET fragment_count = c.fragments, entity_count = c.entities, public_entity_count = c.public_entities, text_count = c.texts
      FROM served.build k
     CROSS JOIN LATERAL (
           SELECT (SELECT count(*) FROM served.fragment f WHERE f.archive_id = k.archive_id AND f.build_id = k.build_id) AS fragments,
                  (SELECT count(*) FROM served.word_list w WHERE w.archive_id = k.archive_id AND w.build_id = k.build_id) AS texts,
                  count(*) AS entities, count(*) FILTER (WHERE e.raw = 'public') AS public_entities
             FROM served.entity e WHERE e.archive_id = k.archive_id AND e.build_id = k.build_id) AS c
     WHERE k.archive_id = (SELECT api.scope()) AND (only_build IS NULL OR k.build_id = only_build)
       AND b.archive_id = k.archive_id AND b.build_id = k.build_id
       AND (b.fragment_count, b.entity_count, b.public_entity_count, b.text_count)
           IS DISTINCT FROM (c.fragments, c.entities, c.public_entities, c.texts)
$$;

-- Notes a narrowing under the archive's row lock and applies it to every kept build.
-- One number a transaction: a row changed by each of 10,000 narrowings would be walked 10,000 times by each.
-- READ COMMITTED alone sees a build whose switch it waited for: an older snapshot would leave that one as it is.
CREATE FUNCTION api.narrow_fragment(asked_fragment text, asked_target text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    counter bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'what is withdrawn is withdrawn READ COMMITTED' USING ERRCODE = '25000';
    END IF;
    SELECT narrowing INTO counter FROM private.archive WHERE archive_id = a FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM private.narrowing
                    WHERE archive_id = a AND narrowing = counter AND xmin = pg_current_xact_id()::xid) THEN
        UPDATE private.archive SET narrowing = narrowing + 1 WHERE archive_id = a RETURNING narrowing INTO counter;
    END IF;
    -- An archive that is being removed takes its builds along, and has no number left.
    IF counter IS NOT NULL THEN
        INSERT INTO private.narrowing (archive_id, narrowing, fragment_id, target)
        VALUES (a, counter, asked_fragment, asked_target) ON CONFLICT DO NOTHING;
    END IF;
    PERFORM api.reduce_fragment(asked_fragment, asked_target, NULL);
    -- What is gone waits for nobody.
    IF asked_target = 'none' THEN
        DELETE FROM private.awaiting WHERE archive_id = a AND fragment_id = asked_fragment;
    END IF;
END $$;

-- Entities and counts follow once, when the transaction that raised the counter ends; in the scope of that archive, or
-- there is no end: in another, what is emptied would stay.
CREATE FUNCTION private.settle_narrowed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.archive_id <> api.scope() THEN
        RAISE EXCEPTION 'an archive is settled in its own scope' USING ERRCODE = '55000';
    END IF;
    IF EXISTS (SELECT FROM private.narrowing
                WHERE archive_id = NEW.archive_id AND narrowing = NEW.narrowing AND target IN ('none', 'locator')) THEN
        PERFORM api.settle_builds(NULL);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER builds_are_settled AFTER UPDATE OF narrowing ON private.archive
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.settle_narrowed();

-- How far the archive is narrowed, in the snapshot of who asks: what was kept of a smaller number may hold what is
-- withdrawn by now (R188). A build's own number is that of its making.
CREATE FUNCTION api.narrowings() RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT narrowing FROM private.archive WHERE archive_id = (SELECT api.scope()));
END $$;

-- Applies to one build every narrowing later than its snapshot; the switch calls it under the row lock.
CREATE FUNCTION api.catch_up_narrowing(asked_build integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    later record;
    applied integer := 0;
    snapshot bigint;
BEGIN
    PERFORM FROM private.archive WHERE archive_id = a FOR NO KEY UPDATE;
    SELECT narrowing INTO snapshot FROM served.build WHERE archive_id = a AND build_id = asked_build;
    FOR later IN SELECT narrowing, fragment_id, target FROM private.narrowing
                  WHERE archive_id = a AND narrowing > snapshot ORDER BY narrowing LOOP
        PERFORM api.reduce_fragment(later.fragment_id, later.target, asked_build);
        applied := applied + 1;
        snapshot := later.narrowing;
    END LOOP;
    IF applied > 0 THEN
        PERFORM api.settle_builds(asked_build);
        UPDATE served.build SET narrowing = snapshot WHERE archive_id = a AND build_id = asked_build;
    END IF;
    -- What every build was made after is re-applied by none: the id of what is gone is kept no longer.
    DELETE FROM private.narrowing
     WHERE archive_id = a AND narrowing <= (SELECT min(b.narrowing) FROM served.build b WHERE b.archive_id = a);
    RETURN applied;
END $$;

CREATE FUNCTION api.strictness(exposure text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE exposure WHEN 'text' THEN 0 WHEN 'semantic' THEN 1 WHEN 'locator' THEN 2 WHEN 'none' THEN 3 END
$$;

-- A fragment that left, turned private, or asks for less.
CREATE FUNCTION private.narrow_with_fragment() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- An archive that is being removed takes its builds, its ledger and its counter along.
    IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM private.archive WHERE archive_id = OLD.archive_id AND leaving_at IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' OR NEW.fragment_id <> OLD.fragment_id THEN
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
-- What a kept build shows decides, not what the fragment asks for meanwhile: a wider exposure may still wait.
CREATE FUNCTION private.narrow_with_projection() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- An archive that is being removed takes its builds, its ledger and its counter along.
    IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM private.archive WHERE archive_id = OLD.archive_id AND leaving_at IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' OR NEW.fragment_id <> OLD.fragment_id THEN
        PERFORM api.narrow_fragment(OLD.fragment_id, 'undescribed');
    ELSIF (NEW.vetoed AND NOT OLD.vetoed) OR (NEW.stale AND NOT OLD.stale)
       OR NEW.gist IS DISTINCT FROM OLD.gist
       OR (NEW.review = 'unreviewed' AND OLD.review = 'reviewed'
           AND EXISTS (SELECT FROM private.fragment f JOIN private.entity e USING (archive_id, entity_id)
                        WHERE f.archive_id = NEW.archive_id AND f.fragment_id = NEW.fragment_id AND e.require_review)) THEN
        PERFORM api.narrow_fragment(NEW.fragment_id, 'undescribed');
    END IF;
    RETURN NULL;
END $$;

-- Review newly asked for: gists nobody reviewed stop travelling.
CREATE FUNCTION private.narrow_with_entity() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unreviewed text;
BEGIN
    IF NEW.require_review AND NOT OLD.require_review THEN
        FOR unreviewed IN SELECT p.fragment_id FROM private.fragment f JOIN private.projection p USING (archive_id, fragment_id)
                           WHERE f.archive_id = NEW.archive_id AND f.entity_id = NEW.entity_id AND p.review = 'unreviewed' LOOP
            PERFORM api.narrow_fragment(unreviewed, 'undescribed');
        END LOOP;
    END IF;
    RETURN NULL;
END $$;

-- What a fragment may show is what its file asks for, or less by the author's hand. 'asked' is for writes that say
-- what the file asks: `exposure = file_exposure` says the same again.
CREATE FUNCTION private.tighten() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    held text;
BEGIN
    IF TG_ARGV[0] = 'asked' THEN
        NEW.file_exposure := NEW.exposure;
    END IF;
    NEW.exposure := NEW.file_exposure;
    SELECT exposure INTO held FROM private.tightening WHERE archive_id = NEW.archive_id AND fragment_id = NEW.fragment_id;
    IF api.strictness(held) > api.strictness(NEW.exposure) THEN
        NEW.exposure := held;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER is_tightened BEFORE INSERT OR UPDATE OF exposure ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.tighten('asked');
CREATE TRIGGER is_tightened_under_another_id BEFORE UPDATE OF fragment_id, file_exposure ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.tighten();

-- Holds a fragment to a location or to nothing: at once in every kept build, and for every later ingest.
-- A hold that is stricter already stays: this door only tightens.
CREATE FUNCTION api.tighten_fragment(asked_fragment text, asked_exposure text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    held text;
BEGIN
    PERFORM FROM private.archive WHERE archive_id = a FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM private.fragment WHERE archive_id = a AND fragment_id = asked_fragment) THEN
        RETURN 'unknown';
    END IF;
    SELECT exposure INTO held FROM private.tightening WHERE archive_id = a AND fragment_id = asked_fragment;
    IF api.strictness(held) >= api.strictness(asked_exposure) THEN
        RETURN CASE WHEN held = asked_exposure THEN 'unchanged' ELSE 'stricter' END;
    END IF;
    INSERT INTO private.tightening (archive_id, fragment_id, exposure) VALUES (a, asked_fragment, asked_exposure)
    ON CONFLICT (archive_id, fragment_id) DO UPDATE SET exposure = EXCLUDED.exposure, tightened_at = now();
    UPDATE private.fragment SET exposure = file_exposure WHERE archive_id = a AND fragment_id = asked_fragment;
    INSERT INTO private.audit (archive_id, action, subject) VALUES (a, 'expose ' || asked_exposure, asked_fragment);
    RETURN 'tightened';
END $$;

-- Lets the file decide again, of a fragment that is stored or of one that is gone. What widens waits for a build.
CREATE FUNCTION api.lift_tightening(asked_fragment text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    PERFORM FROM private.archive WHERE archive_id = a FOR NO KEY UPDATE;
    DELETE FROM private.tightening WHERE archive_id = a AND fragment_id = asked_fragment;
    IF FOUND THEN
        UPDATE private.fragment SET exposure = file_exposure WHERE archive_id = a AND fragment_id = asked_fragment;
        INSERT INTO private.audit (archive_id, action, subject) VALUES (a, 'expose as-file', asked_fragment);
        RETURN 'lifted';
    END IF;
    RETURN CASE WHEN EXISTS (SELECT FROM private.fragment WHERE archive_id = a AND fragment_id = asked_fragment)
                THEN 'unchanged' ELSE 'unknown' END;
END $$;

CREATE TRIGGER narrows_at_once AFTER UPDATE OF fragment_id, raw, exposure, file_exposure, text_hash OR DELETE ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_fragment();
CREATE TRIGGER narrows_at_once AFTER UPDATE OR DELETE ON private.projection
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_projection();
CREATE TRIGGER narrows_at_once AFTER UPDATE OF require_review ON private.entity
    FOR EACH ROW EXECUTE FUNCTION private.narrow_with_entity();

-- The ledger remembers what was private by id and keyed hash, and outlives the rows. A plan made while it is
-- small would read all of it for each row of an archive. A plan made for one row holds the key as a constant, and whoever
-- writes the row may have plans shown: so it is one for all.
CREATE FUNCTION private.keep_ledger() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
    SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    key bytea;
    bare text;
BEGIN
    -- An archive that is being removed takes its builds, its ledger and its counter along.
    IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM private.archive WHERE archive_id = OLD.archive_id AND leaving_at IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND NEW.fragment_id <> OLD.fragment_id) THEN
        UPDATE private.ledger l
           SET removed_at = now(),
               vetoed = l.vetoed OR EXISTS (SELECT FROM private.projection p
                                             WHERE p.archive_id = l.archive_id AND p.fragment_id = l.fragment_id AND p.vetoed)
         WHERE l.archive_id = OLD.archive_id AND l.fragment_id = OLD.fragment_id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.raw = 'private' THEN
        SELECT ledger_key INTO key FROM private.archive WHERE archive_id = NEW.archive_id;
        bare := substr(NEW.text, strpos(NEW.text, E'\n\n') + CASE WHEN strpos(NEW.text, E'\n\n') > 0 THEN 2 ELSE 1 END);
        INSERT INTO private.ledger AS l (archive_id, fragment_id, entity_id, exposure, vetoed)
        VALUES (NEW.archive_id, NEW.fragment_id, NEW.entity_id, NEW.exposure,
                EXISTS (SELECT FROM private.projection p
                         WHERE p.archive_id = NEW.archive_id AND p.fragment_id = NEW.fragment_id AND p.vetoed))
        ON CONFLICT (archive_id, fragment_id) DO UPDATE
           SET removed_at = NULL,
               exposure = CASE WHEN api.strictness(EXCLUDED.exposure) > api.strictness(l.exposure) THEN EXCLUDED.exposure ELSE l.exposure END;
        -- An earlier version that comes back as public is known as well: hashes are added, not replaced.
        INSERT INTO private.ledger_text (archive_id, fragment_id, text_hash)
        SELECT NEW.archive_id, NEW.fragment_id, encode(sha256(key || convert_to(h, 'UTF8')), 'hex')
          FROM unnest(ARRAY[NEW.text_hash, encode(sha256(convert_to(bare, 'UTF8')), 'hex')]) AS h
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER remembers_private AFTER INSERT OR UPDATE OF fragment_id, raw, exposure, file_exposure, text_hash OR DELETE ON private.fragment
    FOR EACH ROW EXECUTE FUNCTION private.keep_ledger();

-- A veto outlives its projection: erased with its source and drafted again, the gist comes back vetoed.
CREATE FUNCTION private.keep_veto() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT NEW.vetoed THEN
        NEW.vetoed := EXISTS (SELECT FROM private.ledger
                               WHERE archive_id = NEW.archive_id AND fragment_id = NEW.fragment_id AND vetoed);
    END IF;
    UPDATE private.ledger SET vetoed = NEW.vetoed
     WHERE archive_id = NEW.archive_id AND fragment_id = NEW.fragment_id AND vetoed <> NEW.vetoed;
    RETURN NEW;
END $$;
CREATE TRIGGER keeps_its_veto BEFORE INSERT OR UPDATE OF vetoed ON private.projection
    FOR EACH ROW EXECUTE FUNCTION private.keep_veto();

-- Whether an entity id, or any of these text hashes, was private in this archive. Says so and no more.
-- A hash is of a whole text or of one without its first paragraph: under another title it is the same text.
CREATE FUNCTION api.was_private(asked_entity text, asked_hashes text[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH asked AS MATERIALIZED (
        SELECT encode(sha256(a.ledger_key || convert_to(h, 'UTF8')), 'hex') AS hash
          FROM private.archive a, unnest(asked_hashes) AS h WHERE a.archive_id = (SELECT api.scope()))
    SELECT EXISTS (SELECT FROM private.ledger WHERE archive_id = (SELECT api.scope()) AND entity_id = asked_entity)
        OR EXISTS (SELECT FROM asked JOIN private.ledger_text t ON t.archive_id = (SELECT api.scope()) AND t.text_hash = asked.hash)
$$;

-- The owner says that this was private and is to be public. Noted where anything was remembered.
CREATE FUNCTION api.forget_private(asked_entity text, asked_hashes text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH asked AS MATERIALIZED (
        SELECT encode(sha256(a.ledger_key || convert_to(h, 'UTF8')), 'hex') AS hash
          FROM private.archive a, unnest(asked_hashes) AS h WHERE a.archive_id = (SELECT api.scope())),
    gone AS (
        DELETE FROM private.ledger l
         WHERE l.archive_id = (SELECT api.scope())
           AND (l.entity_id = asked_entity
                OR l.fragment_id IN (SELECT t.fragment_id FROM asked JOIN private.ledger_text t
                                         ON t.archive_id = (SELECT api.scope()) AND t.text_hash = asked.hash))
        RETURNING l.fragment_id)
    INSERT INTO private.audit (archive_id, action, subject)
    SELECT (SELECT api.scope()), 'publish', asked_entity WHERE EXISTS (SELECT FROM gone)
$$;

-- Erases what is remembered of fragments that are gone: the tombstone with its veto, and what they were held to.
-- Asked by fragment or by entity. What is still stored is no tombstone, and stays.
CREATE FUNCTION api.forget_tombstones(asked text[]) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    -- A writer that is bringing the fragment back holds this row.
    PERFORM FROM private.archive WHERE archive_id = a FOR NO KEY UPDATE;
    RETURN QUERY
    WITH gone AS (
        DELETE FROM private.ledger l
         WHERE l.archive_id = a AND (l.fragment_id = ANY (asked) OR l.entity_id = ANY (asked))
           AND NOT EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = a AND f.fragment_id = l.fragment_id)
        RETURNING l.fragment_id),
    vetoes AS (DELETE FROM private.projection p USING gone WHERE p.archive_id = a AND p.fragment_id = gone.fragment_id),
    held AS (DELETE FROM private.tightening t USING gone WHERE t.archive_id = a AND t.fragment_id = gone.fragment_id),
    noted AS (INSERT INTO private.audit (archive_id, action, subject) SELECT a, 'forget', gone.fragment_id FROM gone)
    SELECT gone.fragment_id FROM gone ORDER BY gone.fragment_id COLLATE "C";
END $$;

-- The words of gists and drafts go with the text they describe, and only with it. A veto stays, so that
-- what comes back is vetoed still. Ingest may ask for this; it reads and writes no gist.
CREATE FUNCTION api.erase_gists(asked_fragments text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    DELETE FROM private.projection p
     WHERE p.archive_id = (SELECT api.scope()) AND p.fragment_id = ANY (asked_fragments) AND NOT p.vetoed
       AND NOT EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id);
    UPDATE private.projection p SET lint = 'failed', gist = NULL, draft = ''
     WHERE p.archive_id = (SELECT api.scope()) AND p.fragment_id = ANY (asked_fragments) AND p.vetoed
       AND NOT EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
$$;

-- TRUNCATE goes past every policy and every row trigger.
CREATE FUNCTION private.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION 'rows of an archive are deleted, never truncated' USING ERRCODE = '0A000';
END $$;
