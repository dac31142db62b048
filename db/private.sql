-- The private schema: everything an archive holds. Ingest writes it, builds and curators read it,
-- the serving role has no way into it.

-- Functions belong to nobody but those who are granted them. Only the global form takes PUBLIC's right.
ALTER DEFAULT PRIVILEGES FOR ROLE fonds_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE SCHEMA private;
CREATE SCHEMA api;

-- The keys by which a login says which archive a transaction is for, in a schema that one role may use: as the two pads of
-- HMAC (RFC 2104), so that a check is two sums. The key of before holds until the migrator registers once more.
CREATE SCHEMA seal;
CREATE TABLE seal.scope_key (
    login       text PRIMARY KEY,
    inner_pad   bytea NOT NULL,
    outer_pad   bytea NOT NULL,
    inner_before bytea,
    outer_before bytea,
    CONSTRAINT a_pad_is_a_block CHECK (octet_length(inner_pad) = 64 AND octet_length(outer_pad) = 64),
    CONSTRAINT a_key_of_before_is_whole CHECK (coalesce(octet_length(inner_before), 64) = 64 AND coalesce(octet_length(outer_before), 64) = 64
                                               AND (inner_before IS NULL) = (outer_before IS NULL))
);
ALTER TABLE seal.scope_key ALTER inner_pad SET STATISTICS 0, ALTER outer_pad SET STATISTICS 0,
    ALTER inner_before SET STATISTICS 0, ALTER outer_before SET STATISTICS 0;

-- Which archive this transaction is for: what fonds.archive says, ARCHIVE:SEAL, where the seal is HMAC-SHA256 by the key of
-- the login over archive, process, start of the transaction and login; the first three are of one length, so that no two
-- messages are alike. Raises when there is none and when it is anybody else's or another moment's: an error, never all
-- rows, and the same one, so that it tells nothing. It is worked out each time: what a session could keep, it could forge.
-- Both sums are summed once more before they are compared: how long it takes to tell two digests apart says nothing of a
-- seal, which could be guessed a byte at a time otherwise. Worked out by the leader: a worker has a process of its own.
CREATE FUNCTION api.scope() RETURNS integer
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    written text := current_setting('fonds.archive', true);
    number text := split_part(written, ':', 1);
    given bytea;
    message bytea;
    k seal.scope_key;
BEGIN
    IF number ~ '^[0-9]{1,9}$' THEN
        -- No variable stands in this statement: its plan is made once a session.
        SELECT * INTO k FROM seal.scope_key WHERE login = session_user;
        message := int4send(number::integer) || int4send(pg_backend_pid()) || timestamptz_send(transaction_timestamp())
                   || convert_to(session_user::text, 'UTF8');
        given := sha256(convert_to(written, 'UTF8'));
        IF given = sha256(convert_to(number || ':' || encode(sha256(k.outer_pad || sha256(k.inner_pad || message)), 'hex'), 'UTF8'))
           OR given = sha256(convert_to(number || ':' || encode(sha256(k.outer_before || sha256(k.inner_before || message)), 'hex'), 'UTF8')) THEN
            RETURN number;
        END IF;
    END IF;
    RAISE EXCEPTION 'no archive is set for this transaction' USING ERRCODE = '55000';
END $$;

-- The key of a login from here on; the one it replaces holds beside it until this is called again. For the migrator, who
-- is told nothing by it.
CREATE FUNCTION api.register_scope_key(asked_login text, asked_inner bytea, asked_outer bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO seal.scope_key AS k (login, inner_pad, outer_pad) VALUES (asked_login, asked_inner, asked_outer)
    ON CONFLICT (login) DO UPDATE
       SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad,
           inner_before = nullif(k.inner_pad, excluded.inner_pad), outer_before = nullif(k.outer_pad, excluded.outer_pad)
$$;

-- JSON columns hold these shapes and no other key: nothing travels in a field nobody declared.
CREATE FUNCTION api.is_identifier_list(given jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_typeof(given) = 'array' AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(given) AS item
         WHERE jsonb_typeof(item) <> 'object'
            -- No key at all aggregates to NULL, which <> would let pass.
            OR (SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(item) AS k) IS DISTINCT FROM '{scheme,value}'::text[]
            OR jsonb_typeof(item -> 'scheme') <> 'string' OR jsonb_typeof(item -> 'value') <> 'string')
$$;

CREATE FUNCTION api.is_attribution_list(given jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_typeof(given) = 'array' AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(given) AS item
         WHERE jsonb_typeof(item) <> 'object'
            OR NOT item ? 'name' OR jsonb_typeof(item -> 'name') <> 'string'
            OR EXISTS (SELECT FROM jsonb_object_keys(item) AS k
                        WHERE k NOT IN ('name', 'role', 'identifiers', 'placeholder'))
            OR (item ? 'role' AND jsonb_typeof(item -> 'role') <> 'string')
            OR (item ? 'identifiers' AND NOT api.is_identifier_list(item -> 'identifiers'))
            OR (item ? 'placeholder' AND item -> 'placeholder' NOT IN ('"unnamed"', '"unverified"')))
$$;

CREATE FUNCTION api.is_place(given jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_typeof(given) = 'array' AND jsonb_array_length(given) > 0 AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(given) AS step
         WHERE jsonb_typeof(step) <> 'object'
            OR NOT step ?& ARRAY['scheme', 'value']
            OR EXISTS (SELECT FROM jsonb_each(step) AS part(k, v)
                        WHERE k NOT IN ('scheme', 'value', 'end') OR jsonb_typeof(v) <> 'string'))
$$;

-- A refusal record: known keys with figures and words of closed lists. A private best passage shows a score to the
-- nearest 0.05 and no coverage, and no score stands there without saying of which layer it is.
CREATE FUNCTION api.is_refusal_record(given jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_typeof(given) = 'object' AND NOT EXISTS (
        SELECT FROM jsonb_each(given) AS part(k, v)
         WHERE NOT CASE k
            WHEN 'bestScore' THEN jsonb_typeof(v) = 'number'
            WHEN 'coverage' THEN jsonb_typeof(v) = 'number'
            WHEN 'scoreFloor' THEN jsonb_typeof(v) = 'number'
            WHEN 'coverageFloor' THEN jsonb_typeof(v) = 'number'
            WHEN 'gate' THEN jsonb_typeof(v) = 'object' AND NOT EXISTS (
                SELECT FROM jsonb_each(v) AS figure(k, v)
                 WHERE NOT CASE figure.k
                    WHEN 'state' THEN figure.v <@ '["off", "provisional", "fitted", "stale", "infinite", "missing"]'
                    WHEN 'signal' THEN jsonb_typeof(figure.v) IN ('number', 'null')
                    WHEN 'threshold' THEN jsonb_typeof(figure.v) IN ('number', 'null')
                    ELSE false END)
            WHEN 'bestRaw' THEN v IN ('"public"', '"private"')
            WHEN 'layer' THEN v IN ('"retrieval"', '"floor"', '"gate"', '"model"', '"verifier"')
            WHEN 'failed' THEN jsonb_typeof(v) = 'array' AND v <@ '["score", "coverage", "margin"]'
            -- A type, a rule or a position: too narrow for a sentence in most scripts, and short.
            WHEN 'detail' THEN jsonb_typeof(v) = 'string' AND v #>> '{}' ~ '^[A-Za-z0-9_ :.,-]{1,80}$'
            ELSE false END)
       AND CASE given ->> 'bestRaw'
            WHEN 'public' THEN true
            WHEN 'private' THEN NOT given ? 'coverage'
                AND coalesce((given ->> 'bestScore')::numeric % 0.05 = 0, true)
                AND coalesce((given -> 'gate' ->> 'signal')::numeric % 0.05 = 0, true)
            ELSE NOT given ?| ARRAY['bestScore', 'coverage'] END
$$;

CREATE TABLE private.archive (
    archive_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug        text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name        text NOT NULL,
    author      text NOT NULL,
    base_url    text NOT NULL,
    -- Raised by each narrowing: builds compare it with their snapshot, caches key on it.
    narrowing   bigint NOT NULL DEFAULT 0,
    -- Keys the ledger's hashes: a copied ledger does not tell which texts were private.
    ledger_key  bytea NOT NULL DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
    -- For how many days the question of a refusal is kept; NULL: it never is.
    question_days integer CONSTRAINT questions_are_kept_a_while CHECK (question_days BETWEEN 1 AND 366),
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Being removed since: nobody is let in, no job finds it, and its rows go without a trace in the ledger.
    leaving_at  timestamptz
);

-- One run of a job at a time: the runner holds its row. Rows, not advisory keys: any login can take those.
CREATE TABLE private.job_lock (
    archive_id  integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    job         text NOT NULL,
    taken_at    timestamptz,
    PRIMARY KEY (archive_id, job)
);

CREATE TABLE private.run (
    archive_id  integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    run_id      bigint GENERATED ALWAYS AS IDENTITY,
    job         text NOT NULL,
    outcome     text NOT NULL,
    report      jsonb NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (archive_id, run_id)
);

CREATE TABLE private.source (
    archive_id     integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    source_key     text NOT NULL,
    raw            text NOT NULL CHECK (raw IN ('public', 'private')),
    file_hash      text NOT NULL,
    settings_hash  text NOT NULL,
    fragment_count integer NOT NULL,
    PRIMARY KEY (archive_id, source_key)
);

CREATE TABLE private.entity (
    archive_id     integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    entity_id      text NOT NULL,
    source_key     text NOT NULL,
    raw            text NOT NULL,
    exposure       text NOT NULL,
    type           text NOT NULL CHECK (type <> ''),
    title          text NOT NULL CHECK (title <> ''),
    url            text NOT NULL CHECK (url <> ''),
    attribution    jsonb NOT NULL CHECK (api.is_attribution_list(attribution)),
    date           text,
    date_start     date,
    date_end       date,
    version        text,
    identifiers    jsonb NOT NULL CHECK (api.is_identifier_list(identifiers)),
    parent         text,
    themes         text[] NOT NULL,
    require_review boolean NOT NULL,
    public_title   boolean NOT NULL,
    ngram_words    integer NOT NULL CHECK (ngram_words > 0),
    ngram_chars    integer NOT NULL CHECK (ngram_chars > 0),
    gist_max_chars integer NOT NULL CHECK (gist_max_chars > 0),
    row_hash       text NOT NULL,
    PRIMARY KEY (archive_id, entity_id),
    UNIQUE (archive_id, entity_id, raw),
    FOREIGN KEY (archive_id, source_key) REFERENCES private.source ON DELETE CASCADE,
    CONSTRAINT raw_is_known CHECK (raw IN ('public', 'private')),
    CONSTRAINT exposure_is_known CHECK (exposure IN ('text', 'semantic', 'locator', 'none')),
    CONSTRAINT private_is_not_quoted CHECK (NOT (raw = 'private' AND exposure = 'text')),
    CONSTRAINT a_date_is_an_interval CHECK ((date IS NULL) = (date_start IS NULL) AND (date IS NULL) = (date_end IS NULL) AND date_start <= date_end)
);
CREATE INDEX entity_by_source ON private.entity (archive_id, source_key);

CREATE TABLE private.fragment (
    archive_id    integer NOT NULL,
    fragment_id   text NOT NULL,
    entity_id     text NOT NULL,
    raw           text NOT NULL,
    exposure      text NOT NULL,          -- as requested, or stricter by the author's hand; a build resolves it
    file_exposure text NOT NULL,          -- as the file asks; private.tighten keeps it
    place         jsonb NOT NULL CHECK (api.is_place(place)),
    label         text NOT NULL CHECK (label <> ''),
    text          text NOT NULL CHECK (text <> ''),
    attribution   jsonb NOT NULL CHECK (api.is_attribution_list(attribution)),
    date          text,
    date_start    date,
    date_end      date,
    summary       text,
    themes        text[] NOT NULL,
    trail         text[] NOT NULL,
    source_review text CHECK (source_review IN ('unreviewed', 'in-review', 'reviewed')),
    text_hash     text NOT NULL,          -- what a gist is drafted against
    embed_hash    text NOT NULL,          -- what a vector is made from
    row_hash      text NOT NULL,
    words         text[] NOT NULL DEFAULT '{}',      -- folded, of public text; a build copies them
    weights       smallint[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (archive_id, fragment_id),
    FOREIGN KEY (archive_id, entity_id, raw) REFERENCES private.entity (archive_id, entity_id, raw) ON DELETE CASCADE,
    CONSTRAINT exposure_is_known CHECK (exposure IN ('text', 'semantic', 'locator', 'none') AND file_exposure IN ('text', 'semantic', 'locator', 'none')),
    CONSTRAINT private_is_not_quoted CHECK (NOT (raw = 'private' AND 'text' IN (exposure, file_exposure))),
    CONSTRAINT private_has_no_summary CHECK (raw = 'public' OR (summary IS NULL AND trail = '{}')),
    CONSTRAINT private_has_no_words CHECK (words = '{}' OR raw = 'public'),
    CONSTRAINT a_public_text_is_bounded CHECK (raw = 'private' OR octet_length(text) <= 524288),
    CONSTRAINT a_word_has_its_weight CHECK (cardinality(words) = cardinality(weights)),
    CONSTRAINT an_id_starts_with_its_entity CHECK (starts_with(fragment_id, entity_id || '#')),
    CONSTRAINT a_date_is_an_interval CHECK ((date IS NULL) = (date_start IS NULL) AND (date IS NULL) = (date_end IS NULL) AND date_start <= date_end)
);
CREATE INDEX fragment_by_entity ON private.fragment (archive_id, entity_id, raw);
CREATE INDEX fragment_to_describe ON private.fragment (archive_id, fragment_id) WHERE exposure = 'semantic';

-- Vectors stand apart: narrow rows, replaced and reused by hash. A vector without a fragment is pruned.
CREATE TABLE private.embedding (
    archive_id  integer NOT NULL,
    fragment_id text NOT NULL,
    space_id    text NOT NULL,
    embed_hash  text NOT NULL,
    dimensions  integer NOT NULL,
    embedding   ext.halfvec NOT NULL,
    PRIMARY KEY (archive_id, fragment_id, space_id),
    FOREIGN KEY (archive_id, fragment_id) REFERENCES private.fragment ON DELETE CASCADE,
    CONSTRAINT a_vector_has_its_dimensions CHECK (ext.vector_dims(embedding) = dimensions),
    -- A zero vector has no direction: its cosine is NaN, which passes any floor and sorts first.
    CONSTRAINT a_vector_is_not_zero CHECK (ext.l2_norm(embedding) > 0)
);
ALTER TABLE private.embedding ALTER COLUMN embedding SET STORAGE PLAIN;

-- Keyed by fragment id and not tied to its row: deleting and inserting again must not lose a veto.
CREATE TABLE private.projection (
    archive_id     integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    fragment_id    text NOT NULL,
    source         text NOT NULL CHECK (source IN ('generated', 'edited')),
    review         text NOT NULL CHECK (review IN ('unreviewed', 'reviewed')),
    vetoed         boolean NOT NULL DEFAULT false,
    stale          boolean NOT NULL DEFAULT false,
    lint           text NOT NULL,         -- 'passed' or 'failed': an arm of the rule below
    gist           text,
    draft          text,
    content_hash   text NOT NULL,
    model          text,
    prompt_version text,
    generated_at   timestamptz,
    -- Where its author meets it, looking through them in order. Every gist is in one pile.
    pile           text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN vetoed THEN 'vetoed' WHEN draft = '' THEN 'missing' WHEN lint = 'failed' THEN 'failed'
             WHEN stale THEN 'stale' ELSE review END) STORED,
    PRIMARY KEY (archive_id, fragment_id),
    CONSTRAINT an_arm_holds_its_own_words CHECK (
        (lint = 'passed' AND gist IS NOT NULL AND draft IS NULL)
        OR (lint = 'failed' AND gist IS NULL AND draft IS NOT NULL))
);
CREATE INDEX projection_by_pile ON private.projection (archive_id, pile, fragment_id);

-- What the author holds a fragment to, whatever its file asks for. Not tied to the fragment's row: it holds
-- for an edited file, and for one that went and came back.
CREATE TABLE private.tightening (
    archive_id   integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    fragment_id  text NOT NULL,
    exposure     text NOT NULL CONSTRAINT tightening_is_strict CHECK (exposure IN ('locator', 'none')),
    tightened_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (archive_id, fragment_id)
);

-- What was ever private, and what was withdrawn: ids and keyed hashes, no words.
CREATE TABLE private.ledger (
    archive_id  integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    fragment_id text NOT NULL,
    entity_id   text NOT NULL,
    exposure    text NOT NULL,            -- the strictest it ever had
    vetoed      boolean NOT NULL DEFAULT false,
    removed_at  timestamptz,
    PRIMARY KEY (archive_id, fragment_id)
);
-- Every text it ever had, by keyed hash: whole, and without the first paragraph, where a private title stands.
CREATE TABLE private.ledger_text (
    archive_id  integer NOT NULL,
    fragment_id text NOT NULL,
    text_hash   text NOT NULL,
    PRIMARY KEY (archive_id, fragment_id, text_hash),
    FOREIGN KEY (archive_id, fragment_id) REFERENCES private.ledger ON DELETE CASCADE
);
CREATE INDEX ledger_text_by_hash ON private.ledger_text (archive_id, text_hash);
CREATE INDEX ledger_by_entity ON private.ledger (archive_id, entity_id);

-- Every narrowing with the archive's counter: a build re-applies those after its snapshot. Kept until every build was
-- made after it.
-- The narrowings of one transaction share its number: they become visible together.
CREATE TABLE private.narrowing (
    archive_id  integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    narrowing   bigint NOT NULL,
    fragment_id text NOT NULL,
    target      text NOT NULL CHECK (target IN (
                    'undescribed',  -- a gist is taken back; what is served as text keeps its text
                    'locator', 'none')),
    PRIMARY KEY (archive_id, narrowing, fragment_id, target)
);

CREATE TABLE private.refusal (
    archive_id  integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    refusal_id  bigint GENERATED ALWAYS AS IDENTITY,
    refused_at  timestamptz NOT NULL DEFAULT now(),
    reason      text NOT NULL,
    record      jsonb NOT NULL,
    question    text,                     -- where private.archive.question_days asks for it
    question_until timestamptz,           -- erased from then on, or sooner when fewer days are asked for
    PRIMARY KEY (archive_id, refusal_id),
    CONSTRAINT a_reason_is_known CHECK (reason IN (
        'no_relevant_context', 'below_score_floor', 'below_coverage_floor',
        'below_calibrated_threshold', 'calibration_infinite', 'calibration_missing', 'calibration_stale',
        'model_reported_no_answer', 'fabricated_citation', 'missing_citation', 'unsupported_claim',
        'model_declined', 'unparseable_response', 'model_unavailable', 'embedder_unavailable')),
    CONSTRAINT a_record_is_figures CHECK (api.is_refusal_record(record)),
    CONSTRAINT a_question_is_short CHECK (length(question) <= 512),
    CONSTRAINT a_question_has_an_end CHECK ((question IS NULL) = (question_until IS NULL))
);
CREATE INDEX refusal_with_question ON private.refusal (archive_id) WHERE question_until IS NOT NULL;
-- What counts refusals by reason and day reads this alone, and a page of a rare reason is found by it.
CREATE INDEX refusal_by_reason ON private.refusal (archive_id, reason, refused_at);

-- Questions of known kind that a gate is calibrated on: the operator's own, or the bundled ones. Kept as text so
-- that each build asks them again; shown to nobody, served nowhere.
CREATE TABLE private.calibration (
    archive_id   integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    question_key text NOT NULL CHECK (question_key ~ '^[0-9a-f]{32}$'),  -- a hash of the normalised question
    name         text NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    question     text NOT NULL CHECK (length(question) BETWEEN 1 AND 512),
    kind         text NOT NULL CHECK (kind IN ('answerable', 'near-miss', 'out-of-archive')),
    source       text NOT NULL CHECK (source IN ('own', 'bank')),
    passed       boolean,                 -- what the last calibration said of it
    PRIMARY KEY (archive_id, question_key),
    UNIQUE (archive_id, name) DEFERRABLE,  -- two questions may change names in one statement
    CONSTRAINT the_bank_is_about_no_archive CHECK (source = 'own' OR kind = 'out-of-archive')
);

-- Their vectors by space: a build that changed no space embeds no question.
CREATE TABLE private.calibration_vector (
    archive_id   integer NOT NULL,
    question_key text NOT NULL,
    space_id     text NOT NULL,
    dimensions   integer NOT NULL,
    embedding    ext.halfvec NOT NULL,
    PRIMARY KEY (archive_id, question_key, space_id),
    FOREIGN KEY (archive_id, question_key) REFERENCES private.calibration ON DELETE CASCADE,
    CONSTRAINT a_vector_has_its_dimensions CHECK (ext.vector_dims(embedding) = dimensions),
    CONSTRAINT a_vector_is_not_zero CHECK (ext.l2_norm(embedding) > 0)
);
ALTER TABLE private.calibration_vector ALTER COLUMN embedding SET STORAGE PLAIN;

-- Who accepted, vetoed, withdrew or published: ids, never text. Rows are added, never changed.
CREATE TABLE private.audit (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    audit_id   bigint GENERATED ALWAYS AS IDENTITY,
    noted_at   timestamptz NOT NULL DEFAULT now(),
    actor      text NOT NULL DEFAULT session_user,
    action     text NOT NULL,
    subject    text NOT NULL,
    PRIMARY KEY (archive_id, audit_id)
);
