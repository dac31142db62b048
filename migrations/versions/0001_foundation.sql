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
-- The served schema: what a build lets travel, per archive and build. Rows here are after the strip.

CREATE SCHEMA served;

CREATE TABLE served.build (
    archive_id          integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    build_id            integer NOT NULL,
    state               text NOT NULL CHECK (state IN (
                            'building',   -- rows are being written; nobody reads them
                            'checked',    -- validated; may go live
                            'retired',    -- was live; a rollback may point at it
                            'abandoned')),  -- was live and was gone back from; nothing points at it again
    provider            text NOT NULL,
    model               text NOT NULL,
    dimensions          integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    query_prefix        text NOT NULL,
    passage_prefix      text NOT NULL,
    centring            text NOT NULL,
    space_id            text NOT NULL,
    score_floor         double precision NOT NULL CHECK (score_floor BETWEEN -1 AND 2),
    coverage_floor      double precision NOT NULL CHECK (coverage_floor BETWEEN 0 AND 1),
    fingerprint         text NOT NULL,
    narrowing           bigint NOT NULL,  -- the archive's counter in the build's snapshot
    built_at            timestamptz NOT NULL DEFAULT now(),
    entity_count        integer NOT NULL DEFAULT 0,
    fragment_count      integer NOT NULL DEFAULT 0,
    public_entity_count integer NOT NULL DEFAULT 0,
    text_count          integer NOT NULL DEFAULT 0,  -- fragments served as text: what words are counted among
    phrase_word_lengths integer[] NOT NULL DEFAULT '{}',
    phrase_char_lengths integer[] NOT NULL DEFAULT '{}',
    may_be_live         boolean NOT NULL GENERATED ALWAYS AS (state IN ('checked', 'retired')) STORED,
    PRIMARY KEY (archive_id, build_id),
    UNIQUE (archive_id, build_id, dimensions),
    UNIQUE (archive_id, build_id, may_be_live)
);

-- A pointer row: switching is one UPDATE, forward and back. It points at a checked build or nowhere.
CREATE TABLE served.live (
    archive_id  integer PRIMARY KEY REFERENCES private.archive ON DELETE CASCADE,
    build_id    integer NOT NULL,
    may_be_live boolean NOT NULL DEFAULT true,
    CONSTRAINT only_a_checked_build_is_live CHECK (may_be_live),
    CONSTRAINT a_live_build_stays_checked
        FOREIGN KEY (archive_id, build_id, may_be_live) REFERENCES served.build (archive_id, build_id, may_be_live)
);
CREATE INDEX live_by_build ON served.live (archive_id, build_id);

-- What the gate of a build goes by: figures, no question. It goes with its build, so that a rollback brings back its
-- own. Infinity lets nothing pass; counts of the price are all there or not measured.
CREATE TABLE served.calibration (
    archive_id     integer NOT NULL,
    build_id       integer NOT NULL,
    source         text NOT NULL CHECK (source IN ('own', 'bank')),
    rule           text NOT NULL CHECK (rule IN ('plain', 'strict')),
    alpha          double precision NOT NULL CHECK (alpha > 0 AND alpha < 1),
    counted        integer NOT NULL,
    near_misses    integer NOT NULL,
    threshold      double precision NOT NULL CHECK (threshold <> 'NaN'),
    hint_threshold double precision NOT NULL CHECK (hint_threshold <> 'NaN'),
    -- Of hints of public material alone, and for them: no private row moves what is told of public layers.
    public_hint_threshold double precision NOT NULL CHECK (public_hint_threshold <> 'NaN'),
    signal         text NOT NULL,         -- the definition the signal is made by
    means          double precision[] NOT NULL,
    deviations     double precision[] NOT NULL,
    weights        double precision[] NOT NULL,
    bias           double precision NOT NULL,
    fitted         boolean NOT NULL,      -- weights of the archive's own questions, else the bundled ones
    plugins        text NOT NULL,
    space_id       text NOT NULL,
    questions      text NOT NULL,         -- a hash of the set
    made_at        timestamptz NOT NULL DEFAULT now(),
    price          integer[],
    PRIMARY KEY (archive_id, build_id),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.build ON DELETE CASCADE,
    CONSTRAINT near_misses_are_among_the_counted CHECK (near_misses BETWEEN 0 AND counted),
    CONSTRAINT a_model_weighs_five_signals CHECK (cardinality(means) = 5 AND cardinality(deviations) = 5 AND cardinality(weights) = 5),
    CONSTRAINT a_price_is_eight_counts CHECK (cardinality(price) = 8 AND array_position(price, NULL) IS NULL AND 0 <= ALL (price))
);

CREATE TABLE served.entity (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    entity_id   text NOT NULL,
    raw         text NOT NULL CHECK (raw IN ('public', 'private')),
    type        text NOT NULL CHECK (type <> ''),
    title       text NOT NULL CHECK (title <> ''),
    url         text NOT NULL CHECK (url <> ''),
    attribution jsonb NOT NULL CHECK (api.is_attribution_list(attribution)),
    date        text,
    version     text,
    identifiers jsonb NOT NULL CHECK (api.is_identifier_list(identifiers)),
    parent      text,
    themes      text[] NOT NULL,
    PRIMARY KEY (archive_id, build_id, entity_id),
    UNIQUE (archive_id, build_id, entity_id, raw),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.build ON DELETE CASCADE,
    CONSTRAINT a_private_title_is_a_caption CHECK (raw = 'public' OR (length(title) <= 120 AND title !~ '[\n-\r\u001c-\u001e\u0085\u2028\u2029]'))
);

CREATE TABLE served.fragment (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    fragment_id text NOT NULL,
    entity_id   text NOT NULL,
    raw         text NOT NULL,
    exposure    text NOT NULL,
    place       jsonb NOT NULL CHECK (api.is_place(place)),
    label       text NOT NULL CHECK (label <> ''),
    text        text NOT NULL,
    summary     text NOT NULL,
    trail       text[] NOT NULL,
    gist        text,
    gist_source text CHECK (gist_source IN ('generated', 'edited')),
    gist_review text CHECK (gist_review IN ('unreviewed', 'reviewed')),
    attribution jsonb NOT NULL CHECK (api.is_attribution_list(attribution)),
    date        text,                     -- effective: the fragment's, else its entity's
    date_start  date,
    date_end    date,
    themes      text[] NOT NULL,
    PRIMARY KEY (archive_id, build_id, fragment_id),
    UNIQUE (archive_id, build_id, fragment_id, raw, exposure),
    FOREIGN KEY (archive_id, build_id, entity_id, raw) REFERENCES served.entity (archive_id, build_id, entity_id, raw) ON DELETE CASCADE,
    CONSTRAINT withheld_is_not_served CHECK (exposure IN ('text', 'semantic', 'locator')),
    CONSTRAINT private_is_not_quoted CHECK (NOT (raw = 'private' AND exposure = 'text')),
    CONSTRAINT text_only_where_exposed CHECK (exposure = 'text' OR (text = '' AND summary = '' AND trail = '{}')),
    CONSTRAINT exposed_text_is_there CHECK (exposure <> 'text' OR text <> ''),
    -- A hit carries its text whole, and a reply many hits: one archive's texts fill the memory of all that are served beside it.
    CONSTRAINT a_text_is_bounded CHECK (octet_length(text) <= 524288),
    CONSTRAINT gist_only_where_exposed CHECK (
        (exposure = 'semantic') = (gist IS NOT NULL)
        AND (gist IS NULL) = (gist_source IS NULL) AND (gist IS NULL) = (gist_review IS NULL)),
    CONSTRAINT a_gist_is_one_paragraph CHECK (gist <> '' AND gist !~ '[\n-\r\u001c-\u001e\u0085\u2028\u2029]'),
    CONSTRAINT a_private_label_is_a_caption CHECK (raw = 'public' OR (length(label) <= 120 AND label !~ '[\n-\r\u001c-\u001e\u0085\u2028\u2029]')),
    CONSTRAINT a_date_is_an_interval CHECK ((date IS NULL) = (date_start IS NULL) AND (date IS NULL) = (date_end IS NULL) AND date_start <= date_end)
);
-- What a reference asks for stands first: led by archive and build, an index looks as good as the primary
-- key while a table has no statistics, and a build of n fragments reads n * n rows in foreign keys.
CREATE INDEX fragment_by_entity ON served.fragment (entity_id, archive_id, build_id, raw);

-- Vectors in a narrow table of their own, with the columns a scan filters on. No caller reads it.
CREATE TABLE served.embedding (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    fragment_id text NOT NULL,
    entity_id   text NOT NULL,
    raw         text NOT NULL,
    exposure    text NOT NULL,
    type        text NOT NULL,
    date_start  date,
    date_end    date,
    dimensions  integer NOT NULL,
    embedding   ext.halfvec NOT NULL,
    number      integer,                  -- how postings name a fragment with words; null where it has none
    PRIMARY KEY (archive_id, build_id, fragment_id),
    FOREIGN KEY (archive_id, build_id, fragment_id, raw, exposure)
        REFERENCES served.fragment (archive_id, build_id, fragment_id, raw, exposure) ON UPDATE CASCADE ON DELETE CASCADE,
    FOREIGN KEY (archive_id, build_id, dimensions) REFERENCES served.build (archive_id, build_id, dimensions) ON DELETE CASCADE,
    CONSTRAINT private_is_not_quoted CHECK (NOT (raw = 'private' AND exposure = 'text')),
    CONSTRAINT only_a_public_row_has_a_number CHECK (number IS NULL OR raw = 'public'),
    CONSTRAINT a_vector_has_its_dimensions CHECK (ext.vector_dims(embedding) = dimensions),
    CONSTRAINT a_vector_is_not_zero CHECK (ext.l2_norm(embedding) > 0)
);
ALTER TABLE served.embedding ALTER COLUMN embedding SET STORAGE PLAIN;

-- Private rows are compared one by one, whatever index there is of the public ones.
CREATE INDEX embedding_of_private ON served.embedding (archive_id, build_id) WHERE raw = 'private';

-- A search of public layers compares public rows alone: how long that takes tells nothing of what is private. Who bears a
-- name or a phrase is looked up in every layer.
CREATE INDEX embedding_of_public ON served.embedding (archive_id, build_id) WHERE raw = 'public';

-- That a build is to have an approximate index, what was measured of it, and whether searches may use it. The build
-- after it is made the same. The index itself is a copy of the build's public vectors in a table of its own (schema
-- indexes): made, filled and dropped without a lock on rows of another archive, and no other archive's plan knows of
-- it. `centre` is the mean of the public vectors, each of length one, `served.index_spread` how they vary around it:
-- the background of a question without a scan.
CREATE TABLE served.near_index (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    links       integer NOT NULL CHECK (links BETWEEN 2 AND 64),      -- of a vector in the graph
    width       integer NOT NULL CHECK (width BETWEEN 4 AND 1000),    -- of the search that makes it
    breadth     integer NOT NULL CHECK (breadth BETWEEN 1 AND 1000),  -- vectors a question looks at
    least       integer NOT NULL CHECK (least >= 1),                  -- public vectors below which none is made
    vectors     integer NOT NULL CHECK (vectors >= 0),
    centre      ext.vector,
    questions   integer NOT NULL DEFAULT 0,
    by_index    integer NOT NULL DEFAULT 0,  -- of those, answered without an exact scan
    recall      double precision,            -- of the hits of an exact scan, over questions answered by the index
    checked_at  timestamptz,
    admitted    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (archive_id, build_id),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.build ON DELETE CASCADE,
    CONSTRAINT a_graph_is_wide_enough CHECK (width >= 2 * links),
    CONSTRAINT counts_are_of_the_questions CHECK (by_index BETWEEN 0 AND questions),
    CONSTRAINT only_what_finds_all_is_admitted CHECK (
        NOT admitted OR (recall >= 0.99 AND by_index > 0 AND checked_at IS NOT NULL AND centre IS NOT NULL))
);
CREATE TABLE served.index_spread (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    place       integer NOT NULL CHECK (place BETWEEN 1 AND 4000),
    spread      ext.vector NOT NULL,      -- one row of the covariance of the public vectors
    PRIMARY KEY (archive_id, build_id, place),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.near_index ON DELETE CASCADE
);

-- The copies, one table a build, owned by the role that makes them; nobody else has any right on them.
CREATE SCHEMA indexes;

-- Titles, slugs and themes a question may name: rows, because arrays use no index under row security.
CREATE TABLE served.phrase (
    archive_id         integer NOT NULL,
    build_id           integer NOT NULL,
    phrase             text NOT NULL CHECK (length(phrase) BETWEEN 1 AND 512),
    kind               text NOT NULL CHECK (kind IN ('title', 'theme')),  -- a slug counts as a title
    fragment_id        text NOT NULL,
    document_frequency integer NOT NULL,  -- over public served entities; a theme too common boosts nothing
    PRIMARY KEY (archive_id, build_id, phrase, kind, fragment_id),
    FOREIGN KEY (archive_id, build_id, fragment_id) REFERENCES served.fragment ON DELETE CASCADE
);
CREATE INDEX phrase_by_fragment ON served.phrase (fragment_id, archive_id, build_id);

-- Names a filter may ask for: creators of an entity, speakers of a fragment; placeholders are not people.
CREATE TABLE served.name (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('creator', 'speaker')),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 512),
    unspaced    boolean NOT NULL,         -- has a script without spaces: matched by containment
    fragment_id text NOT NULL,
    PRIMARY KEY (archive_id, build_id, kind, name, fragment_id),
    FOREIGN KEY (archive_id, build_id, fragment_id) REFERENCES served.fragment ON DELETE CASCADE
);
CREATE INDEX name_by_fragment ON served.name (fragment_id, archive_id, build_id);

-- What a build withheld until its owner accepts it: ids, exposures, and a digest of what would travel.
-- Private, for it says what may come; here, because it goes with its build.
CREATE TABLE private.awaiting (
    archive_id   integer NOT NULL,
    build_id     integer NOT NULL,
    fragment_id  text NOT NULL,
    was_raw      text CHECK (was_raw IN ('public', 'private')),
    was_exposure text CHECK (was_exposure IN ('text', 'semantic', 'locator')),
    raw          text NOT NULL CHECK (raw IN ('public', 'private')),
    exposure     text NOT NULL CHECK (exposure IN ('text', 'semantic', 'locator')),
    fields       text[] NOT NULL,         -- names of what differs
    content      text NOT NULL,
    PRIMARY KEY (archive_id, build_id, fragment_id),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.build ON DELETE CASCADE,
    CONSTRAINT both_or_neither_was CHECK ((was_raw IS NULL) = (was_exposure IS NULL)),
    CONSTRAINT private_is_not_quoted CHECK (NOT (raw = 'private' AND exposure = 'text'))
);
CREATE INDEX awaiting_by_fragment ON private.awaiting (archive_id, fragment_id);

-- The folded words of what is served as text, and of nothing else: private text has no lexical trace here.
-- They go with the fragment, and before its exposure does (lexical.sql).
CREATE TABLE served.word_list (
    archive_id  integer NOT NULL,
    build_id    integer NOT NULL,
    fragment_id text NOT NULL,
    raw         text NOT NULL,
    exposure    text NOT NULL,
    number      integer NOT NULL CHECK (number BETWEEN 1 AND 2000000),
    words       text[] NOT NULL,
    weights     smallint[] NOT NULL,
    PRIMARY KEY (archive_id, build_id, fragment_id),
    FOREIGN KEY (archive_id, build_id, fragment_id, raw, exposure)
        REFERENCES served.fragment (archive_id, build_id, fragment_id, raw, exposure) ON DELETE CASCADE,
    CONSTRAINT only_public_text_has_words CHECK (raw = 'public' AND exposure = 'text'),
    CONSTRAINT a_word_has_its_weight CHECK (cardinality(words) = cardinality(weights) AND 1 <= ALL (weights) AND 1023 >= ALL (weights))
);

-- The same by word: which fragments hold it, each as its number times 1024 plus the word's weight there.
-- Rows of words and fragments would take three times the room. A row covers 1,024 numbers, so that
-- taking one fragment back rewrites little. Only the triggers on word_list write here.
CREATE TABLE served.posting (
    archive_id integer NOT NULL,
    build_id   integer NOT NULL,
    word       text NOT NULL CHECK (length(word) BETWEEN 1 AND 64),
    block      integer NOT NULL,
    held       integer[] NOT NULL CHECK (held <> '{}'),
    PRIMARY KEY (archive_id, build_id, word, block),
    FOREIGN KEY (archive_id, build_id) REFERENCES served.build ON DELETE CASCADE
);

-- Leakproof operators show column statistics of hidden rows in their estimates: keep none of words and of dates.
ALTER TABLE served.entity ALTER COLUMN title SET STATISTICS 0, ALTER COLUMN url SET STATISTICS 0, ALTER COLUMN entity_id SET STATISTICS 0, ALTER COLUMN themes SET STATISTICS 0, ALTER COLUMN attribution SET STATISTICS 0, ALTER COLUMN identifiers SET STATISTICS 0, ALTER COLUMN parent SET STATISTICS 0, ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN date SET STATISTICS 0, ALTER COLUMN type SET STATISTICS 0;
ALTER TABLE served.fragment ALTER COLUMN date_start SET STATISTICS 0, ALTER COLUMN date_end SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0, ALTER COLUMN date SET STATISTICS 0, ALTER COLUMN summary SET STATISTICS 0, ALTER COLUMN gist SET STATISTICS 0, ALTER COLUMN label SET STATISTICS 0, ALTER COLUMN place SET STATISTICS 0, ALTER COLUMN trail SET STATISTICS 0, ALTER COLUMN themes SET STATISTICS 0, ALTER COLUMN attribution SET STATISTICS 0, ALTER COLUMN fragment_id SET STATISTICS 0, ALTER COLUMN entity_id SET STATISTICS 0;
ALTER TABLE served.embedding ALTER COLUMN embedding SET STATISTICS 0, ALTER COLUMN fragment_id SET STATISTICS 0, ALTER COLUMN entity_id SET STATISTICS 0, ALTER COLUMN type SET STATISTICS 0;
ALTER TABLE served.phrase ALTER COLUMN phrase SET STATISTICS 0, ALTER COLUMN fragment_id SET STATISTICS 0;
ALTER TABLE served.name ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN fragment_id SET STATISTICS 0;
ALTER TABLE served.word_list ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN weights SET STATISTICS 0, ALTER COLUMN fragment_id SET STATISTICS 0;
ALTER TABLE served.posting ALTER COLUMN word SET STATISTICS 0, ALTER COLUMN held SET STATISTICS 0;
ALTER TABLE private.entity ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN identifiers SET STATISTICS 0, ALTER COLUMN parent SET STATISTICS 0, ALTER COLUMN date SET STATISTICS 0, ALTER COLUMN title SET STATISTICS 0, ALTER COLUMN url SET STATISTICS 0, ALTER COLUMN themes SET STATISTICS 0, ALTER COLUMN attribution SET STATISTICS 0;
ALTER TABLE private.fragment ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN weights SET STATISTICS 0, ALTER COLUMN place SET STATISTICS 0, ALTER COLUMN date SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0, ALTER COLUMN summary SET STATISTICS 0, ALTER COLUMN label SET STATISTICS 0, ALTER COLUMN trail SET STATISTICS 0, ALTER COLUMN themes SET STATISTICS 0, ALTER COLUMN attribution SET STATISTICS 0;
ALTER TABLE private.projection ALTER COLUMN gist SET STATISTICS 0, ALTER COLUMN draft SET STATISTICS 0;
ALTER TABLE private.embedding ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE served.calibration ALTER COLUMN plugins SET STATISTICS 0, ALTER COLUMN questions SET STATISTICS 0;
ALTER TABLE private.calibration ALTER COLUMN question SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE private.calibration_vector ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE private.run ALTER COLUMN report SET STATISTICS 0;
ALTER TABLE private.refusal ALTER COLUMN record SET STATISTICS 0, ALTER COLUMN question SET STATISTICS 0;
ALTER TABLE private.audit ALTER COLUMN subject SET STATISTICS 0;
-- Functions only. What a login may do beyond reading its rows stands here, each owned by a narrow
-- role that row security binds as well (grants.sql hands them over).

-- The revision of this schema; each migration replaces it. Every login may ask.
CREATE FUNCTION api.revision() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$ SELECT '0001' $$;

-- The build a reader sees: row security leaves the archive's own pointer, and asks for the scope but once. One snapshot a
-- request, so it holds throughout.
CREATE FUNCTION api.live_build() RETURNS integer
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT build_id FROM served.live
$$;

-- The row of that build: row security leaves no other. A function, because its plan is made once a session.
CREATE FUNCTION api.served_build() RETURNS SETOF served.build
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT b.* FROM served.build b;
END $$;

-- What its gate was calibrated to, by the same rule and for the same reason.
CREATE FUNCTION api.served_calibration() RETURNS SETOF served.calibration
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT c.* FROM served.calibration c;
END $$;

-- The id of an archive by its slug; NULL when there is none, or when it is being removed. Takes no scope: it is how one is found.
CREATE FUNCTION api.open_archive(asked_slug text) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT archive_id FROM private.archive WHERE slug = asked_slug AND leaving_at IS NULL
$$;

-- Registers an archive, or renews what is said of it and the terms of access; returns its id, NULL while it is being
-- removed. Terms that are not given are those of a closed archive with the limits of private.access. One that is there
-- is renewed in its own scope: no password alone opens an archive to everybody.
CREATE FUNCTION api.register_archive(
    asked_slug text, asked_name text, asked_author text, asked_base_url text,
    asked_anonymous boolean DEFAULT false, asked_minute integer DEFAULT 60, asked_day integer DEFAULT 2000,
    asked_archive_day integer DEFAULT 20000, asked_private_day integer DEFAULT NULL) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found integer;
    leaving boolean;
BEGIN
    SELECT archive_id, leaving_at IS NOT NULL INTO found, leaving FROM private.archive WHERE slug = asked_slug;
    IF leaving THEN
        RETURN NULL;
    END IF;
    IF found IS NULL THEN
        INSERT INTO private.archive (slug, name, author, base_url)
        VALUES (asked_slug, asked_name, asked_author, asked_base_url)
        ON CONFLICT (slug) DO NOTHING RETURNING archive_id INTO found;
        IF found IS NULL THEN
            RAISE EXCEPTION 'another has registered the archive since' USING ERRCODE = '55000';
        END IF;
    ELSE
        IF found <> api.scope() THEN
            RAISE EXCEPTION 'an archive is renewed in its own scope' USING ERRCODE = '55000';
        END IF;
        UPDATE private.archive SET name = asked_name, author = asked_author, base_url = asked_base_url
         WHERE archive_id = found AND (name, author, base_url) IS DISTINCT FROM (asked_name, asked_author, asked_base_url);
    END IF;
    INSERT INTO private.job_lock (archive_id, job)
    VALUES (found, 'ingest'), (found, 'build') ON CONFLICT DO NOTHING;
    INSERT INTO private.access AS t (archive_id, anonymous, caller_per_minute, caller_per_day, archive_per_day, private_per_day)
    VALUES (found, asked_anonymous, asked_minute, asked_day, asked_archive_day, asked_private_day)
        ON CONFLICT (archive_id) DO UPDATE
       SET anonymous = EXCLUDED.anonymous, caller_per_minute = EXCLUDED.caller_per_minute,
           caller_per_day = EXCLUDED.caller_per_day, archive_per_day = EXCLUDED.archive_per_day,
           private_per_day = EXCLUDED.private_per_day
     WHERE (t.anonymous, t.caller_per_minute, t.caller_per_day, t.archive_per_day, t.private_per_day)
           IS DISTINCT FROM (EXCLUDED.anonymous, EXCLUDED.caller_per_minute, EXCLUDED.caller_per_day,
                             EXCLUDED.archive_per_day, EXCLUDED.private_per_day);
    RETURN found;
END $$;

-- Appends a refusal record. The question is dropped unless the archive's own row asks for it, and is then kept for
-- as many days as that row says and no more than whoever asked was told, of 24 hours each: how long a day lasts, a session's
-- zone would say. Returns nothing to read.
CREATE FUNCTION api.note_refusal(asked_reason text, asked_record jsonb, asked_question text, told_days integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO private.refusal (archive_id, reason, record, question, question_until)
    SELECT s.archive_id, asked_reason, asked_record, CASE WHEN kept.days IS NOT NULL THEN asked_question END,
           CASE WHEN asked_question IS NOT NULL THEN now() + make_interval(hours => 24 * kept.days) END
      FROM (SELECT api.scope() AS archive_id) AS s
      LEFT JOIN private.archive a ON a.archive_id = s.archive_id
     CROSS JOIN LATERAL (SELECT CASE WHEN told_days IS NOT NULL AND a.question_days IS NOT NULL
                                     THEN least(told_days, a.question_days) END AS days) AS kept
$$;

-- For how many days the questions of later refusals are kept, NULL for not at all. Erases those that are over, by the
-- days that held when they were asked or by the days asked for; returns how many. Its effect is the same twice.
CREATE FUNCTION api.keep_questions(asked_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    erased integer;
BEGIN
    UPDATE private.archive SET question_days = asked_days
     WHERE archive_id = (SELECT api.scope()) AND question_days IS DISTINCT FROM asked_days;
    UPDATE private.refusal SET question = NULL, question_until = NULL
     WHERE archive_id = (SELECT api.scope()) AND question_until IS NOT NULL
       AND (asked_days IS NULL OR least(question_until, refused_at + make_interval(hours => 24 * asked_days)) <= now());
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
END $$;

-- A row of a scan that can still change its result.
CREATE TYPE api.near_row AS (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean);

-- What one look at the vectors found: those rows, the background of the question among public rows, the ranks by its
-- words, whether an index named the public rows, and how many of those it named have a base that clears the floor.
CREATE TYPE api.near_pool AS (
    kept api.near_row[], mean double precision, deviation double precision, ranks double precision[], by_index boolean,
    certain integer);

-- The rows that can change the result of one question, with the figures that decide it.
-- Exact scan, or, of an archive whose build has an admitted index and where nothing is lost by it, what api.near_pool
-- gives; `exactly` asks for the scan. A private row carries its released cosine (nearest 0.05) and is floored, counted and cut
-- by it: no argument shifts that rounding, and the exact figure stays in here.
-- base: cosine plus boosts known exactly from narrow columns and words. reach: base plus the most it may still get.
CREATE FUNCTION api.nearest(
    asked_vector ext.halfvec, asked_phrases text[], asked_floor double precision,
    public_cap integer, private_cap integer, everything boolean,
    asked_raws text[], asked_types text[], asked_exposures text[],
    first_day date, last_day date, include_undated boolean,
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean,
    title_max double precision, theme_max double precision, phrase_raws text[], theme_cap integer,
    recency_max double precision, recency_raws text[], recent_after date,
    disclosure_max double precision, other_max double precision,
    asked_words text[], asked_texts integer, lexical_max double precision, exactly boolean DEFAULT false)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures jsonb, archive_id integer, build_id integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan  -- made once a session: planning costs more than a thousand comparisons
    SET enable_seqscan = off                  -- else the planner reads every archive's rows once one is a quarter of the table
    -- What is called in here joins by hash. Where statistics make little of an archive (none were taken since its build, or
    -- there are very many others), joined one by one it costs fragments times fragments.
    SET enable_nestloop = off SET enable_mergejoin = off
    SET max_parallel_workers_per_gather = 0
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    b integer;
    has_index boolean;
    slack CONSTANT double precision := 1e-9;
    least double precision := asked_floor - disclosure_max - recency_max - other_max - slack;
    least_private double precision := least - 0.05;
    words record;
    ranked double precision[];  -- by the number of a fragment
    lowest double precision := least_private;  -- no words lift a cosine below it to `least`
    titled_ids text[] := '{}'; themed_ids text[] := '{}'; named_ids text[] := '{}'; creator_ids text[]; speaker_ids text[];
    any_named boolean := false;
    pool api.near_pool;
    unfiltered boolean := num_nonnulls(asked_raws, asked_types, asked_exposures, first_day, last_day, asked_creator, asked_speaker) = 0;
BEGIN
    SELECT l.build_id, EXISTS (SELECT FROM served.near_index i WHERE i.archive_id = a AND i.build_id = l.build_id)
      INTO b, has_index FROM served.live l WHERE l.archive_id = a;
    IF asked_vector IS NULL OR NOT l2_norm(asked_vector) > 0 THEN
        RAISE EXCEPTION 'the query vector is missing or zero' USING ERRCODE = '22023';
    END IF;
    IF public_cap NOT BETWEEN 1 AND 1000 OR private_cap NOT BETWEEN 1 AND 1000
       OR least(title_max, theme_max, recency_max, disclosure_max, other_max, lexical_max) < 0 OR asked_floor IS NULL
       OR cardinality(asked_words) > 256 OR asked_texts < 0 THEN
        RAISE EXCEPTION 'a limit or a boost is out of bounds' USING ERRCODE = '22023';
    END IF;
    IF cardinality(asked_phrases) > 0 THEN
        SELECT coalesce(array_agg(p.fragment_id) FILTER (WHERE p.kind = 'title'), '{}'),
               coalesce(array_agg(p.fragment_id) FILTER (WHERE p.kind = 'theme' AND (theme_cap IS NULL OR p.document_frequency <= theme_cap)), '{}')
          INTO titled_ids, themed_ids
          FROM served.phrase p
         WHERE p.archive_id = a AND p.build_id = b AND p.phrase = ANY (asked_phrases);
        named_ids := titled_ids || themed_ids;
        any_named := cardinality(named_ids) > 0;
    END IF;
    words := api.word_ranks(b, asked_words, asked_texts);
    IF asked_creator IS NOT NULL THEN
        creator_ids := api.named_fragments(b, 'creator', asked_creator, creator_unspaced);
    END IF;
    IF asked_speaker IS NOT NULL THEN
        speaker_ids := api.named_fragments(b, 'speaker', asked_speaker, speaker_unspaced);
    END IF;
    -- Filters that are not asked fold away, and long lists are hashed, where the plan knows the values.
    IF NOT unfiltered OR cardinality(named_ids) > 8 THEN
        PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    END IF;
    IF has_index AND unfiltered AND NOT everything AND NOT exactly AND asked_floor > -1 THEN
        pool := api.pool_by_index(b, asked_vector, asked_floor, public_cap, least, least_private, disclosure_max,
                                   recency_max + other_max, words.numbers, words.ranks, lexical_max, titled_ids, themed_ids);
    END IF;
    IF pool.by_index IS NOT TRUE THEN
        -- A look-up by number costs each row a third of what a join does.
        IF cardinality(words.numbers) > 0 THEN
            lowest := least(least_private, least - lexical_max * words.best_rank - slack);
            ranked := array_fill(0::double precision, ARRAY[words.last_number]);
            FOR i IN 1 .. cardinality(words.numbers) LOOP
                ranked[words.numbers[i]] := words.ranks[i];
            END LOOP;
        END IF;
        -- OFFSET 0 keeps each distance computed once; nothing is kept of the rows but what can change the result,
        -- and the figures of all public rows are taken in the same pass. What most rows are asked is cheap: only a public one
        -- has a number.
        SELECT array_agg(ROW(s.fragment_id, s.raw, s.date_start, s.cosine, coalesce(ranked[s.number], 0),
                             any_named AND s.fragment_id = ANY (titled_ids), any_named AND s.fragment_id = ANY (themed_ids))::api.near_row)
                   FILTER (WHERE s.cosine >= lowest AND s.cosine + lexical_max * coalesce(ranked[s.number], 0)
                                                        >= CASE WHEN s.raw = 'public' THEN least ELSE least_private END
                           OR any_named AND s.fragment_id = ANY (named_ids)),
               avg(s.cosine) FILTER (WHERE s.number IS NOT NULL OR s.raw = 'public'),
               stddev_pop(s.cosine) FILTER (WHERE s.number IS NOT NULL OR s.raw = 'public'),
               array_agg(ranked[s.number]) FILTER (WHERE NOT unfiltered AND ranked[s.number] > 0), false, NULL
          INTO pool
          FROM (SELECT e.fragment_id, e.raw, e.date_start, e.number,
                       CASE WHEN e.raw = 'public' THEN 1 - (e.embedding <=> asked_vector)
                            ELSE floor((1 - (e.embedding <=> asked_vector)) * 20 + 0.5) / 20 END AS cosine
                  FROM served.embedding e
                 WHERE e.archive_id = a AND e.build_id = b
                   AND (unfiltered
                        OR ((asked_raws IS NULL OR e.raw = ANY (asked_raws))
                            AND (asked_types IS NULL OR e.type = ANY (asked_types))
                            AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
                            AND (first_day IS NULL OR e.date_end >= first_day OR (include_undated AND e.date_end IS NULL))
                            AND (last_day IS NULL OR e.date_start <= last_day OR (include_undated AND e.date_start IS NULL))
                            AND (creator_ids IS NULL OR e.fragment_id = ANY (creator_ids))
                            AND (speaker_ids IS NULL OR e.fragment_id = ANY (speaker_ids))))
                OFFSET 0) AS s;
        IF unfiltered THEN
            pool.ranks := words.ranks;
        END IF;
    END IF;
    RETURN QUERY
    WITH bounded AS MATERIALIZED (
        SELECT s.*, s.base + other_max
                 + CASE WHEN s.titled AND s.raw = ANY (phrase_raws) THEN title_max ELSE 0 END
                 + CASE WHEN s.themed AND s.raw = ANY (phrase_raws) THEN theme_max ELSE 0 END
                 + CASE WHEN s.date_start > recent_after AND s.raw = ANY (recency_raws) THEN recency_max ELSE 0 END
                 + CASE WHEN s.raw = 'public' THEN slack ELSE 0.025 + slack END AS reach
          FROM (SELECT n.*, CASE WHEN n.raw = 'public' THEN n.cosine + disclosure_max + lexical_max * n.lexical ELSE n.cosine END AS base
                  FROM unnest(pool.kept) AS n) AS s),
    -- The k-th largest base of a layer: what a row has to be able to reach to be shown.
    certain AS (
        SELECT coalesce(pool.certain, count(*) FILTER (WHERE c.raw = 'public'))::integer AS public, count(*) FILTER (WHERE c.raw = 'private')::integer AS private,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'public'))[public_cap] AS public_kth,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'private'))[private_cap] AS private_kth
          FROM bounded c WHERE c.base >= asked_floor),
    best AS (
        SELECT (array_agg(r.rank))[1] AS rank, (array_agg(r.rank))[2] AS second
          FROM (SELECT u.rank FROM unnest(pool.ranks) AS u(rank) ORDER BY u.rank DESC LIMIT 2) AS r)
    SELECT x.fragment_id, x.raw, x.date_start, x.cosine, x.lexical, x.titled, x.themed, certain.public, certain.private,
           CASE WHEN row_number() OVER (ORDER BY x.reach DESC, x.fragment_id) = 1 THEN (
                SELECT jsonb_build_object('mean', pool.mean, 'deviation', pool.deviation, 'best', best.rank, 'second', best.second,
                                          'most', words.most, 'frequencies', words.frequencies, 'by_index', pool.by_index) FROM best) END,
           a, b
      FROM certain, bounded x
     WHERE x.reach >= asked_floor
       AND (everything OR x.base < asked_floor
            OR x.reach >= coalesce(CASE WHEN x.raw = 'public' THEN certain.public_kth ELSE certain.private_kth END, asked_floor))
     ORDER BY x.reach DESC, x.fragment_id;
END $$;

-- What api.nearest goes by where an admitted index names the public rows; NULL where only a scan of all will do: no
-- index, fewer hits than asked for, or a row that was not looked at could be among those shown. Private rows are all
-- looked at, whatever the index: what is told of them rests on every one. The index names rows and nothing else;
-- what is told of them is read here, under row security, and every cosine is computed from the stored vector.
-- A row not looked at is no nearer than the farthest that the index named. It could be shown only if its words made
-- up for that: such rows are looked at as well.
CREATE FUNCTION api.pool_by_index(
    asked_build integer, asked_vector ext.halfvec, asked_floor double precision, public_cap integer,
    lowest double precision, lowest_private double precision, disclosure_max double precision, lift_max double precision,
    numbers integer[], ranks double precision[], lexical_max double precision, titled_ids text[], themed_ids text[]) RETURNS api.near_pool
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    slack CONSTANT double precision := 1e-9;
    most_by_words CONSTANT integer := 2000;  -- two milliseconds of comparing; more is a scan by another name
    kept_index record;
    named record;
    pool api.near_pool;
    kth double precision;
    direction ext.vector;
    worded integer[] := '{}';
    ids text[];
    bases double precision[];
BEGIN
    SELECT i.breadth, i.centre INTO kept_index FROM served.near_index i WHERE i.archive_id = a AND i.build_id = asked_build AND i.admitted;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    named := api.named_by_index(asked_build, asked_vector, kept_index.breadth);
    IF named.farthest IS NULL THEN
        RETURN NULL;
    END IF;
    -- The distances are those of the same vectors: only what may be shown is read again, below.
    SELECT (array_agg(s.base ORDER BY s.base DESC))[public_cap], count(*), array_agg(s.base), array_agg(s.fragment_id)
      INTO kth, pool.certain, bases, ids
      FROM (SELECT n.fragment_id, 1 - n.distance + disclosure_max + lexical_max * coalesce(l.rank, 0) AS base
              FROM unnest(named.fragment_ids, named.numbers, named.distances) AS n(fragment_id, number, distance)
              LEFT JOIN unnest(numbers, ranks) AS l(number, rank) ON l.number = n.number) AS s
     WHERE s.base >= asked_floor;
    IF kth IS NULL OR 1 - named.farthest + disclosure_max + lift_max + slack >= kth THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(array_agg(l.number), '{}') INTO worded
      FROM unnest(numbers, ranks) AS l(number, rank)
     WHERE 1 - named.farthest + disclosure_max + lift_max + slack + lexical_max * l.rank >= kth;
    IF cardinality(worded) > most_by_words THEN
        RETURN NULL;
    END IF;
    ids := ARRAY(SELECT n.fragment_id FROM unnest(ids, bases) AS n(fragment_id, base) WHERE n.base + lift_max + slack >= kth)
           || titled_ids || themed_ids || api.named_by_number(asked_build, worded);
    SELECT array_agg(ROW(s.fragment_id, s.raw, s.date_start, s.cosine, s.rank, s.titled, s.themed)::api.near_row)
             FILTER (WHERE s.cosine + lexical_max * s.rank >= CASE WHEN s.raw = 'public' THEN lowest ELSE lowest_private END
                     OR s.titled OR s.themed),
           pool.certain + count(*) FILTER (WHERE s.raw = 'public' AND s.cosine + disclosure_max + lexical_max * s.rank >= asked_floor
                                            AND NOT s.fragment_id = ANY (named.fragment_ids))
      INTO pool.kept, pool.certain
      FROM (SELECT d.*, d.fragment_id = ANY (titled_ids) AS titled, d.fragment_id = ANY (themed_ids) AS themed
              FROM (SELECT e.fragment_id, e.raw, e.date_start, 1 - (e.embedding <=> asked_vector) AS cosine, coalesce(l.rank, 0) AS rank
                      FROM served.embedding e LEFT JOIN unnest(numbers, ranks) AS l(number, rank) ON l.number = e.number
                     -- Not "= 'public'": without statistics that leads through every public row, and ids name a few.
                     WHERE e.archive_id = a AND e.build_id = asked_build AND e.raw <> 'private' AND e.fragment_id = ANY (ids)
                    UNION ALL
                    SELECT e.fragment_id, e.raw, e.date_start, floor((1 - (e.embedding <=> asked_vector)) * 20 + 0.5) / 20, 0
                      FROM served.embedding e
                     WHERE e.archive_id = a AND e.build_id = asked_build AND e.raw = 'private') AS d
            OFFSET 0) AS s;
    direction := l2_normalize(asked_vector::ext.vector);
    pool.mean := -(kept_index.centre <#> direction);
    SELECT sqrt(greatest(sum(u.part * -(s.spread <#> direction)), 0)) INTO pool.deviation
      FROM served.index_spread s JOIN unnest(direction::real[]) WITH ORDINALITY AS u(part, place) ON u.place = s.place
     WHERE s.archive_id = a AND s.build_id = asked_build;
    pool.ranks := ranks;
    pool.by_index := pool.deviation IS NOT NULL;
    RETURN pool;
END $$;

-- The same rows, the first so many with what may be shown of them: one round trip for both, and one plan a session.
-- With the caller's rights: content is read under its own row security. OFFSET 0 keeps each row a look-up of
-- its own: joined, the planner reads all of the build, since no statistics are kept of words.
-- JSON comes as text: most of it is an empty list, which needs no parser.
CREATE FUNCTION api.nearest_content(
    asked_vector ext.halfvec, asked_phrases text[], asked_floor double precision,
    public_cap integer, private_cap integer, everything boolean,
    asked_raws text[], asked_types text[], asked_exposures text[],
    first_day date, last_day date, include_undated boolean,
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean,
    title_max double precision, theme_max double precision, phrase_raws text[], theme_cap integer,
    recency_max double precision, recency_raws text[], recent_after date,
    disclosure_max double precision, other_max double precision,
    asked_words text[], asked_texts integer, lexical_max double precision, exactly boolean, with_content integer)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures text,
    entity_id text, exposure text, place text, text text, summary text, trail text[], gist text, gist_source text,
    gist_review text, attribution text, date text, themes text[],
    type text, title text, url text, entity_attribution text, entity_date text, version text, identifiers text,
    parent text, entity_themes text[])
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT n.fragment_id, n.raw, n.date_start, n.cosine, n.lexical, n.titled, n.themed, n.certain_public, n.certain_private,
           n.figures::text, c.*
      FROM api.nearest(
           asked_vector, asked_phrases, asked_floor, public_cap, private_cap, everything, asked_raws, asked_types, asked_exposures,
           first_day, last_day, include_undated, asked_creator, creator_unspaced, asked_speaker, speaker_unspaced,
           title_max, theme_max, phrase_raws, theme_cap, recency_max, recency_raws, recent_after,
           disclosure_max, other_max, asked_words, asked_texts, lexical_max, exactly) WITH ORDINALITY AS n (
           fragment_id, raw, date_start, cosine, lexical, titled, themed, certain_public, certain_private, figures,
           archive_id, build_id, place_in_line)
      LEFT JOIN LATERAL (
           SELECT f.entity_id, f.exposure, f.place::text, f.text, f.summary, f.trail, f.gist, f.gist_source,
                  f.gist_review, f.attribution::text, f.date, f.themes,
                  e.type, e.title, e.url, e.attribution::text, e.date, e.version, e.identifiers::text, e.parent, e.themes
             FROM (SELECT s.* FROM served.fragment s
                    WHERE n.place_in_line <= with_content
                      AND s.archive_id = n.archive_id AND s.build_id = n.build_id AND s.fragment_id = n.fragment_id OFFSET 0) AS f
            CROSS JOIN LATERAL (
                  SELECT t.* FROM served.entity t
                   WHERE t.archive_id = f.archive_id AND t.build_id = f.build_id AND t.entity_id = f.entity_id OFFSET 0) AS e) AS c ON true
     ORDER BY n.place_in_line;
END $$;

-- Fragments whose creators or speakers hold a normalised name as whole words (R106, R107).
CREATE FUNCTION api.named_fragments(asked_build integer, asked_kind text, asked_name text, asked_unspaced boolean) RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(array_agg(n.fragment_id), '{}')
      FROM served.name n
     WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = asked_build AND n.kind = asked_kind
       AND CASE WHEN asked_unspaced OR n.unspaced
                THEN length(asked_name) >= 2 AND strpos(n.name, asked_name) > 0
                ELSE asked_name <> '' AND strpos(' ' || n.name || ' ', ' ' || asked_name || ' ') > 0 END
$$;

-- Undated fragments that satisfy every other filter (R104); counts only. Whose a fragment is, is looked up once and
-- asked by hash: in a plan made for any question, which a session comes to after five, a call of its own stands for each row.
CREATE FUNCTION api.undated(
    asked_raws text[], asked_types text[], asked_exposures text[],
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
    SELECT count(*)
      FROM served.embedding e
     WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = (SELECT api.live_build())
       AND e.date_start IS NULL
       AND (asked_raws IS NULL OR e.raw = ANY (asked_raws))
       AND (asked_types IS NULL OR e.type = ANY (asked_types))
       AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
       AND (asked_creator IS NULL OR e.fragment_id IN (
            SELECT unnest(api.named_fragments((SELECT api.live_build()), 'creator', asked_creator, creator_unspaced))))
       AND (asked_speaker IS NULL OR e.fragment_id IN (
            SELECT unnest(api.named_fragments((SELECT api.live_build()), 'speaker', asked_speaker, speaker_unspaced))))
$$;

-- How the archive in scope stands, for whoever keeps it: the last run of each job, refusals by reason, limits.
-- Times, counts and closed words; no report, no record and no question.
CREATE FUNCTION api.standing(asked_days integer) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    RETURN jsonb_build_object(
        'runs', (SELECT coalesce(jsonb_agg(jsonb_build_object('job', l.job, 'outcome', l.outcome, 'finished', l.finished_at)
                                           ORDER BY l.job), '[]')
                   FROM (SELECT DISTINCT ON (r.job) r.job, r.outcome, r.finished_at
                           FROM private.run r WHERE r.archive_id = a ORDER BY r.job, r.run_id DESC) l),
        'refusals', (SELECT coalesce(jsonb_object_agg(f.reason, f.times), '{}')
                       FROM (SELECT r.reason, count(*) AS times FROM private.refusal r
                              WHERE r.archive_id = a AND r.refused_at > now() - make_interval(hours => 24 * asked_days)
                              GROUP BY r.reason) f),
        'limits', (SELECT to_jsonb(t) FROM (
                       SELECT c.anonymous, c.caller_per_minute, c.caller_per_day, c.archive_per_day, c.private_per_day
                         FROM private.access c WHERE c.archive_id = a) t));
END $$;

-- The approximate index of a build. Whoever makes one gives numbers alone, and gets a table in the schema indexes that
-- is named by them; the role behind these functions can make, fill and drop such tables, and nothing else.

-- Takes out of the copy of a build what the build no longer serves.
CREATE FUNCTION api.sweep_index(asked_archive integer, asked_build integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
AS $$
BEGIN
    EXECUTE format('DELETE FROM indexes.near_%s_%s c WHERE NOT EXISTS (SELECT FROM served.embedding e'
                   ' WHERE e.archive_id = $1 AND e.build_id = $2 AND e.fragment_id = c.fragment_id)', asked_archive, asked_build)
      USING asked_archive, asked_build;
END $$;

-- Makes the index of a build of the archive in scope that has none, and notes how; returns how many vectors were copied.
-- It answers nothing until it is admitted. One that a build has is dropped first, in a transaction of its own: searches
-- and withdrawals would wait for the making otherwise.
CREATE FUNCTION api.make_index(asked_build integer, asked_links integer, asked_width integer, asked_breadth integer, asked_least integer)
    RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ext, pg_temp SET maintenance_work_mem = '512MB'
AS $$
DECLARE
    a integer := api.scope();
    d integer;
    copied integer;
BEGIN
    SELECT b.dimensions INTO d FROM served.build b WHERE b.archive_id = a AND b.build_id = asked_build;
    IF d IS NULL THEN
        RAISE EXCEPTION 'there is no such build' USING ERRCODE = '22023';
    END IF;
    EXECUTE format('CREATE TABLE indexes.near_%s_%s (fragment_id text NOT NULL, number integer, embedding ext.halfvec(%s) NOT NULL)', a, asked_build, d);
    EXECUTE format('INSERT INTO indexes.near_%s_%s SELECT e.fragment_id, e.number, e.embedding FROM served.embedding e'
                   ' WHERE e.archive_id = $1 AND e.build_id = $2 AND e.raw = ''public'' ORDER BY e.fragment_id', a, asked_build) USING a, asked_build;
    GET DIAGNOSTICS copied = ROW_COUNT;
    INSERT INTO served.near_index (archive_id, build_id, links, width, breadth, least, vectors)
    VALUES (a, asked_build, asked_links, asked_width, asked_breadth, asked_least, copied);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_graph ON indexes.near_%1$s_%2$s USING hnsw (embedding ext.halfvec_cosine_ops)'
                   ' WITH (m = %3$s, ef_construction = %4$s)', a, asked_build, asked_links, asked_width);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_numbers ON indexes.near_%1$s_%2$s (number)', a, asked_build);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_fragments ON indexes.near_%1$s_%2$s (fragment_id)', a, asked_build);
    -- What was withdrawn since the copying knew of no copy. Each withdrawal changes this row before it looks for one: those
    -- before this are done once the row is ours, and those after it find the copy.
    PERFORM FROM served.build b WHERE b.archive_id = a AND b.build_id = asked_build FOR NO KEY UPDATE;
    PERFORM api.sweep_index(a, asked_build);
    RETURN copied;
END $$;

-- Takes the index of a build away, and what was noted of it; whether there was any. The next search is exact.
CREATE FUNCTION api.drop_index(asked_build integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    noted boolean;
BEGIN
    DELETE FROM served.near_index WHERE archive_id = a AND build_id = asked_build;
    noted := FOUND;
    IF to_regclass(format('indexes.near_%s_%s', a, asked_build)) IS NOT NULL THEN
        EXECUTE format('DROP TABLE indexes.near_%s_%s', a, asked_build);
        RETURN true;
    END IF;
    RETURN noted;
END $$;

-- How much room the index of a build takes, its copy of the vectors included; NULL where there is none.
CREATE FUNCTION api.index_bytes(asked_build integer) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_total_relation_size(to_regclass(format('indexes.near_%s_%s', (SELECT api.scope()), asked_build)))
$$;

-- The fragments the index finds nearest, each with its number and distance, and how far the farthest of them is: NULL
-- where it finds fewer than asked for, or is gone by now. As much of the graph is looked at as that takes.
CREATE FUNCTION api.named_by_index(asked_build integer, asked_vector ext.halfvec, how_many integer,
    OUT fragment_ids text[], OUT numbers integer[], OUT distances double precision[], OUT farthest double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, ext, pg_temp
    SET enable_seqscan = off SET enable_sort = off SET jit = off
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    IF to_regclass(format('indexes.near_%s_%s', a, asked_build)) IS NULL THEN
        RETURN;
    END IF;
    -- Until the transaction ends: the extension's settings cannot be a function's own where it is not loaded yet.
    PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', how_many::text, true);
    EXECUTE format('SELECT array_agg(n.fragment_id), array_agg(n.number), array_agg(n.distance), CASE WHEN count(*) = $2 THEN max(n.distance) END'
                   '  FROM (SELECT c.fragment_id, c.number, c.embedding <=> $1 AS distance FROM indexes.near_%s_%s c'
                   '         ORDER BY c.embedding <=> $1 LIMIT $2) AS n', a, asked_build)
       INTO fragment_ids, numbers, distances, farthest USING asked_vector, how_many;
EXCEPTION WHEN undefined_table THEN  -- dropped since it was looked for
    farthest := NULL;
END $$;

-- The fragments of these numbers, by which words name them.
CREATE FUNCTION api.named_by_number(asked_build integer, asked_numbers integer[]) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    found text[] := '{}';
BEGIN
    IF cardinality(asked_numbers) > 0 THEN
        EXECUTE format('SELECT coalesce(array_agg(c.fragment_id), ''{}'') FROM indexes.near_%s_%s c WHERE c.number = ANY ($1)', api.scope(), asked_build)
           INTO found USING asked_numbers;
    END IF;
    RETURN found;
END $$;

-- An index goes with its build. When rows of a build were withdrawn it is no longer of these vectors: theirs leave it,
-- and searches are exact until it was checked again.
CREATE FUNCTION private.follow_build() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- First, as whoever drops an index takes that row first: it has gone by the time we look, or waits for us.
        UPDATE served.near_index SET admitted = false, centre = NULL WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id;
        DELETE FROM served.index_spread WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id;
    END IF;
    IF to_regclass(format('indexes.near_%s_%s', OLD.archive_id, OLD.build_id)) IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('DROP TABLE indexes.near_%s_%s', OLD.archive_id, OLD.build_id);
    ELSE
        PERFORM api.sweep_index(OLD.archive_id, OLD.build_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER index_goes_with_it AFTER DELETE ON served.build FOR EACH ROW EXECUTE FUNCTION private.follow_build();
CREATE TRIGGER index_follows_what_is_withdrawn AFTER UPDATE OF fragment_count ON served.build
    FOR EACH ROW WHEN (NEW.fragment_count < OLD.fragment_count) EXECUTE FUNCTION private.follow_build();
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
-- The lexical signal on public text: postings follow the word lists, and a question's words rank them.

-- How the words of fragments that come to be served are found by word. Most of a build says what an earlier one says:
-- where most of its numbers stand for the words they stood for there, that build's postings are taken over, less what
-- went and with what came. Adding all words up anew is nearly half of what a build costs. What is the same is compared
-- here, word by word; no hash and no state is believed.
CREATE FUNCTION private.hold_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_nestloop = off SET enable_mergejoin = off
    SET enable_seqscan = off  -- else every build of every archive is read for the one before
AS $$
DECLARE
    a integer;
    b integer;
    builds bigint;
    lists bigint;
    base integer;
    unchanged integer[];
BEGIN
    SELECT min(n.archive_id), min(n.build_id), count(DISTINCT (n.archive_id, n.build_id)), count(*) INTO a, b, builds, lists FROM added n;
    IF builds = 1 AND NOT EXISTS (SELECT FROM served.posting WHERE archive_id = a AND build_id = b) THEN
        SELECT max(k.build_id) INTO base FROM served.build k WHERE k.archive_id = a AND k.build_id < b AND k.may_be_live;
        -- Byte by byte, where numbers meet: as part of the join, all words of both builds would be hashed one by one.
        SELECT array_agg(n.number) INTO unchanged
          FROM added n
          JOIN served.word_list o ON o.archive_id = a AND o.build_id = base AND o.number = n.number
         WHERE ROW(o.words, o.weights)::record *= ROW(n.words, n.weights)::record;
    END IF;
    IF 2 * cardinality(unchanged) > lists THEN
        WITH same AS MATERIALIZED (SELECT u.number FROM unnest(unchanged) AS u(number)),
        went AS MATERIALIZED (
            SELECT w.word, o.number >> 10 AS block, array_agg((o.number << 10) | w.weight) AS held
              FROM served.word_list o CROSS JOIN LATERAL unnest(o.words, o.weights) AS w(word, weight)
             WHERE o.archive_id = a AND o.build_id = base AND NOT EXISTS (SELECT FROM same s WHERE s.number = o.number)
             GROUP BY w.word, o.number >> 10),
        came AS MATERIALIZED (
            SELECT w.word, n.number >> 10 AS block, array_agg((n.number << 10) | w.weight) AS held
              FROM added n CROSS JOIN LATERAL unnest(n.words, n.weights) AS w(word, weight)
             WHERE NOT EXISTS (SELECT FROM same s WHERE s.number = n.number)
             GROUP BY w.word, n.number >> 10),
        stays AS (
            SELECT p.word, p.block,
                   CASE cardinality(w.held) WHEN 1 THEN array_remove(p.held, w.held[1])
                        ELSE CASE WHEN w.held IS NULL THEN p.held
                                  ELSE ARRAY(SELECT h FROM unnest(p.held) AS h WHERE h <> ALL (w.held)) END END AS held
              FROM served.posting p LEFT JOIN went w ON w.word = p.word AND w.block = p.block
             WHERE p.archive_id = a AND p.build_id = base)
        INSERT INTO served.posting (archive_id, build_id, word, block, held)
        SELECT a, b, x.word, x.block, x.held
          FROM (SELECT coalesce(s.word, c.word) AS word, coalesce(s.block, c.block) AS block,
                       CASE WHEN c.held IS NULL THEN s.held WHEN s.held IS NULL THEN c.held ELSE s.held || c.held END AS held
                  FROM stays s FULL JOIN came c ON c.word = s.word AND c.block = s.block
                OFFSET 0) AS x
         WHERE x.held <> '{}'
         ORDER BY x.word, x.block;
        RETURN NULL;
    END IF;
    INSERT INTO served.posting AS p (archive_id, build_id, word, block, held)
    SELECT a.archive_id, a.build_id, w.word, a.number >> 10, array_agg((a.number << 10) | w.weight)
      FROM added a CROSS JOIN LATERAL unnest(a.words, a.weights) AS w(word, weight)
     GROUP BY a.archive_id, a.build_id, w.word, a.number >> 10
     ORDER BY w.word, a.number >> 10
        ON CONFLICT (archive_id, build_id, word, block) DO UPDATE SET held = p.held || EXCLUDED.held;
    RETURN NULL;
END $$;
CREATE TRIGGER holds_words AFTER INSERT ON served.word_list
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.hold_words();

-- Takes them out again. A build that goes takes its postings along by itself, and so does an archive.
-- By index whatever the session says: a build forbids nested loops, and reading all words costs 50 ms a fragment.
CREATE FUNCTION private.drop_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
BEGIN
    MERGE INTO served.posting AS p
    USING (SELECT g.archive_id, g.build_id, w.word, g.number >> 10 AS block, array_agg(g.number) AS numbers
             FROM gone g JOIN served.build b ON b.archive_id = g.archive_id AND b.build_id = g.build_id
             JOIN private.archive a ON a.archive_id = g.archive_id AND a.leaving_at IS NULL
            CROSS JOIN LATERAL unnest(g.words) AS w(word)
            GROUP BY g.archive_id, g.build_id, w.word, g.number >> 10) AS t
       ON p.archive_id = t.archive_id AND p.build_id = t.build_id AND p.word = t.word AND p.block = t.block
     WHEN MATCHED AND cardinality(p.held) <= cardinality(t.numbers) THEN DELETE
     WHEN MATCHED THEN UPDATE SET held = ARRAY(SELECT h FROM unnest(p.held) AS h WHERE (h >> 10) <> ALL (t.numbers));
    RETURN NULL;
END $$;
CREATE TRIGGER drops_words AFTER DELETE ON served.word_list
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION private.drop_words();

-- What stops being served as text loses its words first, whoever narrows it; the foreign key would refuse otherwise.
CREATE FUNCTION private.forget_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    DELETE FROM served.word_list
     WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id AND fragment_id = OLD.fragment_id;
    RETURN NEW;
END $$;
CREATE TRIGGER forgets_words BEFORE UPDATE OF exposure ON served.fragment
    FOR EACH ROW WHEN (OLD.exposure = 'text' AND NEW.exposure <> 'text') EXECUTE FUNCTION private.forget_words();

-- How well each fragment answers to a question's words, from 0 to 1: their weights there times how rare
-- they are among the texts, over the most any text could have. In whole numbers, so that no order of
-- adding up shows. `most` is what 1 stands for. Rarest first, only as many words are looked at as stand in texts a fifth as
-- often as there are texts: what a question costs is bounded by the archive, not by its length, and what
-- stands in every fifth text tells little.
CREATE FUNCTION api.word_ranks(
    asked_build integer, asked_words text[], asked_texts integer,
    OUT numbers integer[], OUT ranks double precision[], OUT last_number integer, OUT best_rank double precision,
    OUT most double precision, OUT frequencies jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
DECLARE
    heaviest CONSTANT integer := 1023;
BEGIN
    WITH held AS MATERIALIZED (
        SELECT p.word, p.held
          FROM served.posting p
         WHERE p.archive_id = (SELECT api.scope()) AND p.build_id = asked_build AND p.word = ANY (asked_words)),
    counted AS (
        SELECT a.word, coalesce(sum(cardinality(h.held)), 0)::integer AS frequency
          FROM unnest(asked_words) AS a(word) LEFT JOIN held h ON h.word = a.word
         GROUP BY a.word),
    weighed AS MATERIALIZED (
        SELECT c.word, c.frequency,
               round(1000 * ln(1 + (greatest(asked_texts - c.frequency, 0) + 0.5::double precision)
                                   / (c.frequency + 0.5::double precision)))::integer AS rarity,
               sum(c.frequency) OVER (ORDER BY c.frequency, c.word COLLATE "C") <= greatest(asked_texts / 5, 1000) AS looked_at
          FROM counted c),
    total AS (
        SELECT coalesce(sum(w.rarity) FILTER (WHERE w.looked_at), 0)::double precision AS rarity,
               coalesce(jsonb_object_agg(w.word, w.frequency), '{}') AS frequencies
          FROM weighed w),
    ranked AS (
        SELECT one >> 10 AS number, sum(w.rarity * (one & 1023)) AS rank
          FROM weighed w JOIN held h ON h.word = w.word CROSS JOIN LATERAL unnest(h.held) AS one
         WHERE w.looked_at
         GROUP BY one >> 10)
    SELECT r.numbers, r.ranks, r.last_number, r.best_rank, t.rarity / 1000, t.frequencies
      INTO numbers, ranks, last_number, best_rank, most, frequencies
      FROM total t
     CROSS JOIN LATERAL (
           SELECT array_agg(x.number) AS numbers, array_agg(x.rank / (heaviest * greatest(t.rarity, 1))) AS ranks,
                  max(x.number) AS last_number, max(x.rank / (heaviest * greatest(t.rarity, 1))) AS best_rank
             FROM ranked x) AS r;
END $$;
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
-- How much may be asked of an archive (R187): a confidentiality control, for released scores tell. Counted here, over all
-- workers, and committed apart from the work. A day is UTC, by this server's clock: by its distance from UTC, since the
-- name UTC is first looked for among the abbreviations of the session's own zone, whatever that calls by it. Who asks and what is asked stand here as
-- hashes under a key of the archive and the day; when the key goes, the rows tell nothing any more, and then they go too.

-- The day of an archive so far, its key, and what callers without a key have used of it together.
CREATE TABLE private.limit_day (
    archive_id         integer PRIMARY KEY REFERENCES private.archive ON DELETE CASCADE,
    day                date NOT NULL,
    day_key            bytea NOT NULL,
    key_before         bytea,              -- of the day before, for a minute: midnight gives nobody a second minute's worth
    requests           integer NOT NULL DEFAULT 0,
    stranger_requests  integer NOT NULL DEFAULT 0,
    stranger_questions integer NOT NULL DEFAULT 0,
    CONSTRAINT a_key_has_its_length CHECK (octet_length(day_key) = 32 AND coalesce(octet_length(key_before), 32) = 32),
    CONSTRAINT strangers_are_counted_among_all CHECK (stranger_requests BETWEEN 0 AND requests),
    CONSTRAINT a_question_was_a_request CHECK (stranger_questions BETWEEN 0 AND stranger_requests)
) WITH (fillfactor = 50);
CREATE INDEX limit_day_by_day ON private.limit_day (day);

-- One caller's or one network's day, and its last minute in slots of five seconds, the oldest first.
CREATE TABLE private.caller_day (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    day        date NOT NULL,
    who        bytea NOT NULL,
    requests   integer NOT NULL,
    questions  integer NOT NULL,           -- distinct ones whose replies held private hits
    slot       bigint NOT NULL,            -- the last of the slots, counted from 1970
    slots      integer[] NOT NULL,
    PRIMARY KEY (archive_id, day, who),
    CONSTRAINT a_caller_is_a_hash CHECK (octet_length(who) = 32),
    CONSTRAINT a_question_was_a_request CHECK (questions BETWEEN 0 AND requests),
    -- Twelve make a minute, and any sixty seconds touch at most thirteen.
    CONSTRAINT a_minute_touches_thirteen_slots CHECK (cardinality(slots) = 13)
) WITH (fillfactor = 50);
CREATE INDEX caller_day_by_day ON private.caller_day (day);

-- The questions that were charged, for each they were charged to: a caller, its network, all strangers together.
CREATE TABLE private.charged_question (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    day        date NOT NULL,
    who        bytea NOT NULL,
    question   bytea NOT NULL,
    PRIMARY KEY (archive_id, day, who, question),
    CONSTRAINT a_question_is_a_hash CHECK (octet_length(who) = 32 AND octet_length(question) = 32)
);
CREATE INDEX charged_question_by_day ON private.charged_question (day);

-- What an archive allows, worked out of its own row and its live build; no argument of a caller comes near it.
-- Callers without a key have half of the day together. A network has four times a caller's requests (a house, an office),
-- and twice its private questions; strangers together have four times. Whoever gathers addresses gains no more than that.
CREATE TYPE private.limit_terms AS (
    per_minute bigint, per_day bigint, archive_day bigint, stranger_day bigint,
    network_minute bigint, network_day bigint, questions bigint, network_questions bigint, stranger_questions bigint);

CREATE FUNCTION private.limit_terms() RETURNS private.limit_terms
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms;
BEGIN
    SELECT t.caller_per_minute, t.caller_per_day, t.archive_per_day, t.archive_per_day / 2,
           4::bigint * t.caller_per_minute, 4::bigint * t.caller_per_day, t.budget, 2 * t.budget, 4 * t.budget
      INTO terms
      FROM (SELECT x.caller_per_minute, x.caller_per_day, x.archive_per_day,
                   -- Half as many questions as a vector has dimensions do not rebuild it.
                   coalesce(x.private_per_day, greatest(1, b.dimensions / 2))::bigint AS budget
              FROM private.access x
              LEFT JOIN served.live l ON l.archive_id = a
              LEFT JOIN served.build b ON b.archive_id = a AND b.build_id = l.build_id
             WHERE x.archive_id = a) AS t;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the archive has no terms of access' USING ERRCODE = '55000';
    END IF;
    RETURN terms;
END $$;

-- 244 random bits, without an extension.
CREATE FUNCTION private.fresh_key() RETURNS bytea
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$ SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) $$;

-- The key is of one length and stands first; what is told apart are kinds of things, then things.
CREATE FUNCTION private.keyed_hash(day_key bytea, kind text, thing text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$ SELECT sha256(day_key || convert_to(kind || ' ' || thing, 'UTF8')) $$;

-- Five seconds each.
CREATE FUNCTION private.slot_of(at timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT floor(extract(epoch FROM at) / 5)::bigint $$;

-- Since the day began, in seconds: for a minute and a slot the day before still counts.
CREATE FUNCTION private.day_is_young(at timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT (at AT TIME ZONE interval '0')::time < '00:01:05' $$;

-- The archive's row, locked until the transaction ends, of today and with today's key. Every count goes through here:
-- one archive is counted in one order, and nobody can wait for another in a circle.
CREATE FUNCTION private.limit_day_at(at timestamptz) RETURNS private.limit_day
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    today date := (at AT TIME ZONE interval '0')::date;
    found_day private.limit_day;
BEGIN
    LOOP
        SELECT * INTO found_day FROM private.limit_day d WHERE d.archive_id = a FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO private.limit_day (archive_id, day, day_key) VALUES (a, today, private.fresh_key()) ON CONFLICT DO NOTHING;
    END LOOP;
    -- Whoever waited over midnight, and a clock that was put back, go on in the day that has begun.
    IF found_day.day < today OR found_day.day > today + 1 THEN
        UPDATE private.limit_day d
           SET day = today, day_key = private.fresh_key(), requests = 0, stranger_requests = 0, stranger_questions = 0,
               key_before = CASE WHEN d.day = today - 1 AND private.day_is_young(at) THEN d.day_key END
         WHERE d.archive_id = a RETURNING d.* INTO found_day;
    ELSIF found_day.key_before IS NOT NULL AND NOT private.day_is_young(at) THEN
        UPDATE private.limit_day d SET key_before = NULL WHERE d.archive_id = a RETURNING d.* INTO found_day;
    END IF;
    RETURN found_day;
END $$;

-- How a caller or a network stands at a moment: its row with the slots that are over moved out, or a fresh one. Fresh in the
-- first minute of a day, it brings its last minute along. Nothing is written.
CREATE FUNCTION private.caller_day_at(today private.limit_day, kind text, identity text, at timestamptz) RETURNS private.caller_day
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hashed bytea := private.keyed_hash(today.day_key, kind, identity);
    this_slot bigint := private.slot_of(at);
    moved integer;
    standing private.caller_day;
BEGIN
    SELECT * INTO standing FROM private.caller_day c WHERE c.archive_id = today.archive_id AND c.day = today.day AND c.who = hashed;
    IF NOT FOUND THEN
        SELECT c.slot, c.slots INTO standing.slot, standing.slots FROM private.caller_day c
         WHERE c.archive_id = today.archive_id AND c.day = today.day - 1
           AND c.who = private.keyed_hash(today.key_before, kind, identity);
        standing := ROW(today.archive_id, today.day, hashed, 0, 0,
                        coalesce(standing.slot, this_slot), coalesce(standing.slots, array_fill(0, ARRAY[13])))::private.caller_day;
    END IF;
    moved := least(13, greatest(0, this_slot - standing.slot));
    IF standing.slot > this_slot + 13 THEN
        moved := 13;  -- the clock was put back: the minute begins anew, the day goes on
        standing.slot := this_slot;
    END IF;
    standing.slots := standing.slots[moved + 1:13] || array_fill(0, ARRAY[moved]);
    standing.slot := greatest(standing.slot, this_slot);
    RETURN standing;
END $$;

-- In how many seconds fewer than `allowed` will have asked within the last minute; 0 when it is so now.
CREATE FUNCTION private.seconds_to_wait(standing private.caller_day, allowed bigint, at timestamptz) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    counted bigint := (SELECT sum(n) FROM unnest(standing.slots) AS n);
    gone integer := 0;
BEGIN
    WHILE counted >= allowed AND gone < 13 LOOP
        gone := gone + 1;
        counted := counted - standing.slots[gone];
    END LOOP;
    RETURN CASE WHEN gone = 0 THEN 0 ELSE greatest(1, ceil((standing.slot + gone) * 5 - extract(epoch FROM at))::integer) END;
END $$;

CREATE FUNCTION private.seconds_to_midnight(at timestamptz) RETURNS integer
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT greatest(1, ceil(86400 - extract(epoch FROM (at AT TIME ZONE interval '0')::time))::integer) $$;

-- What a limit says of one more request: its name and when to come back, or NULL. A used-up private budget refuses whatever is
-- asked: if it refused what touches private material alone, the refusal would tell which that is.
CREATE FUNCTION private.limit_reached(
    terms private.limit_terms, today private.limit_day, caller private.caller_day, network private.caller_day, is_stranger boolean,
    at timestamptz, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    limit_hit := CASE
        WHEN caller.questions >= terms.questions OR network.questions >= terms.network_questions
          OR is_stranger AND today.stranger_questions >= terms.stranger_questions THEN 'private'
        WHEN caller.requests >= terms.per_day OR network.requests >= terms.network_day THEN 'day'
        WHEN today.requests >= terms.archive_day OR is_stranger AND today.stranger_requests >= terms.stranger_day THEN 'archive'
    END;
    retry_after := private.seconds_to_midnight(at);
    IF limit_hit IS NULL THEN
        retry_after := greatest(private.seconds_to_wait(caller, terms.per_minute, at),
                                CASE WHEN network IS NOT NULL THEN private.seconds_to_wait(network, terms.network_minute, at) END);
        IF retry_after > 0 THEN
            limit_hit := 'minute';
        END IF;
    END IF;
END $$;

-- Refuses what is out of shape: one short word a caller, and a network for addresses alone.
CREATE FUNCTION private.check_caller(caller_kind text, identity text, network text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(caller_kind NOT IN ('key', 'address') OR identity !~ '^[0-9A-Za-z.:/]{1,64}$', true)
       OR network !~ '^[0-9A-Za-z.:/]{1,64}$' OR caller_kind = 'key' AND network IS NOT NULL THEN
        RAISE EXCEPTION 'the caller is out of shape' USING ERRCODE = '22023';
    END IF;
END $$;

-- Counts one request for the archive, its caller and the network around it, if any, as they stand.
CREATE FUNCTION private.keep_request(today private.limit_day, caller private.caller_day, network private.caller_day, is_stranger boolean)
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE private.limit_day d
       SET requests = d.requests + 1, stranger_requests = d.stranger_requests + is_stranger::integer
     WHERE d.archive_id = today.archive_id;
    INSERT INTO private.caller_day AS c (archive_id, day, who, requests, questions, slot, slots)
    SELECT s.archive_id, s.day, s.who, 1, 0, s.slot, s.slots[1:12] || s.slots[13] + 1
      FROM unnest(ARRAY[caller, network]) AS s WHERE s.who IS NOT NULL
    ON CONFLICT (archive_id, day, who) DO UPDATE SET requests = c.requests + 1, slot = excluded.slot, slots = excluded.slots;
END $$;

-- Rows of days that are over, of any archive, five hundred of a kind at a time and none that somebody else has in hand.
CREATE FUNCTION private.forget_days(at timestamptz) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off  -- a table without statistics seems to be old for a third
AS $$
DECLARE
    today date := (at AT TIME ZONE interval '0')::date;
BEGIN
    IF NOT private.day_is_young(at) THEN
        DELETE FROM private.limit_day WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.limit_day d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
        DELETE FROM private.caller_day WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.caller_day d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
        DELETE FROM private.charged_question WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.charged_question d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
    END IF;
END $$;

-- Whether a question was charged today, to a caller, a network or all strangers.
CREATE FUNCTION private.was_charged(today private.limit_day, charged bytea, asked bytea) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM private.charged_question q
                    WHERE q.archive_id = today.archive_id AND q.day = today.day AND q.who = charged AND q.question = asked)
$$;

-- Counts one request at a moment, or says which limit refuses it. What is refused is not counted: a flood of it uses up nobody
-- else's day. The first look takes no lock, so that whoever is refused already keeps nobody waiting.
CREATE FUNCTION private.take_at(at timestamptz, caller_kind text, identity text, network text, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms := private.limit_terms();
    is_stranger boolean := caller_kind = 'address';
    today private.limit_day;
    caller private.caller_day;
    around private.caller_day;
BEGIN
    PERFORM private.check_caller(caller_kind, identity, network);
    FOR look IN 1..2 LOOP
        IF look = 1 THEN
            SELECT * INTO today FROM private.limit_day d WHERE d.archive_id = a AND d.day = (at AT TIME ZONE interval '0')::date;
            CONTINUE WHEN NOT FOUND;
        ELSE
            today := private.limit_day_at(at);
        END IF;
        caller := private.caller_day_at(today, caller_kind, identity, at);
        IF network IS NOT NULL THEN
            around := private.caller_day_at(today, 'network', network, at);
        END IF;
        SELECT r.limit_hit, r.retry_after INTO limit_hit, retry_after
          FROM private.limit_reached(terms, today, caller, around, is_stranger, at) AS r;
        IF limit_hit IS NOT NULL THEN
            RETURN;
        END IF;
    END LOOP;
    PERFORM private.keep_request(today, caller, around, is_stranger);
    IF today.requests % 32 = 0 THEN
        PERFORM private.forget_days(at);
    END IF;
END $$;

-- Charges one question, a digest of it, whose reply holds private hits; or says that the budget does not reach. Each distinct one
-- counts once a day for the caller, once for its network, once for all strangers together. There is no question without a request:
-- where the day has changed in between, the request is counted again, so that rows never outnumber what the limits allow.
CREATE FUNCTION private.charge_at(
    at timestamptz, caller_kind text, identity text, network text, question bytea, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms := private.limit_terms();
    today private.limit_day;
    caller private.caller_day;
    around private.caller_day;
    strangers bytea;
    asked bytea;
    charged bytea[];
BEGIN
    PERFORM private.check_caller(caller_kind, identity, network);
    IF coalesce(octet_length(question) <> 32, true) THEN
        RAISE EXCEPTION 'the digest is out of shape' USING ERRCODE = '22023';
    END IF;
    retry_after := 0;
    FOR look IN 1..2 LOOP
        IF look = 1 THEN
            SELECT * INTO today FROM private.limit_day d WHERE d.archive_id = a AND d.day = (at AT TIME ZONE interval '0')::date;
            CONTINUE WHEN NOT FOUND;
        ELSE
            today := private.limit_day_at(at);
        END IF;
        caller := private.caller_day_at(today, caller_kind, identity, at);
        asked := private.keyed_hash(today.day_key, 'question', encode(question, 'hex'));
        IF private.was_charged(today, caller.who, asked) THEN
            RETURN;
        END IF;
    END LOOP;
    charged := ARRAY[caller.who];
    IF network IS NOT NULL THEN
        around := private.caller_day_at(today, 'network', network, at);
        charged := charged || CASE WHEN NOT private.was_charged(today, around.who, asked) THEN around.who END;
    END IF;
    IF caller_kind = 'address' THEN
        strangers := private.keyed_hash(today.day_key, 'strangers', '');
        charged := charged || CASE WHEN NOT private.was_charged(today, strangers, asked) THEN strangers END;
    END IF;
    limit_hit := CASE
        WHEN caller.questions >= terms.questions
          OR around.who = ANY (charged) AND around.questions >= terms.network_questions
          OR strangers = ANY (charged) AND today.stranger_questions >= terms.stranger_questions THEN 'private'
        WHEN caller.questions >= caller.requests AND today.requests >= terms.archive_day THEN 'archive' END;
    IF limit_hit IS NOT NULL THEN
        retry_after := private.seconds_to_midnight(at);
        RETURN;
    END IF;
    IF caller.questions >= caller.requests THEN
        PERFORM private.keep_request(today, caller, around, caller_kind = 'address');
    END IF;
    INSERT INTO private.charged_question (archive_id, day, who, question)
    SELECT a, today.day, one, asked FROM unnest(charged) AS one WHERE one IS NOT NULL;
    UPDATE private.caller_day c SET questions = c.questions + 1
     WHERE c.archive_id = a AND c.day = today.day AND c.who = ANY (charged);
    UPDATE private.limit_day d SET stranger_questions = d.stranger_questions + 1
     WHERE d.archive_id = a AND strangers = ANY (charged);
END $$;

-- What a reader may call. It says who asks; which archive, its scope says; how much, the archive's own row does. A count that a
-- crash of the server loses is a second of counting, so nobody waits for the disk.
CREATE FUNCTION api.take(caller_kind text, identity text, network text, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s'
AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT t.limit_hit, t.retry_after INTO limit_hit, retry_after
      FROM private.take_at(clock_timestamp(), caller_kind, identity, network) AS t;
END $$;

-- A charge is on the disk before the reply leaves: no crash gives a question back.
CREATE FUNCTION api.charge_private(caller_kind text, identity text, network text, question bytea, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s'
AS $$
BEGIN
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    SELECT t.limit_hit, t.retry_after INTO limit_hit, retry_after
      FROM private.charge_at(clock_timestamp(), caller_kind, identity, network, question) AS t;
END $$;
-- The queue's own side: which slots of a schedule are taken, what ran and how it ended. The tables of the queue itself
-- come from its library when it is installed (`fonds migrate`); db/queue.sql says what is added to them.
-- Nothing here holds a path, a text or a key: an archive's id, the name of a job, times and exit codes.
-- Every table with an archive refers to it and goes with it (ON DELETE CASCADE), those of the library as well.

CREATE SCHEMA jobs;
REVOKE ALL ON SCHEMA jobs FROM PUBLIC;
GRANT USAGE ON SCHEMA jobs TO fonds_queue;

-- Which version of the library made its tables, with which of its migrations, out of which text.
CREATE TABLE jobs.queue_version (
    the_one      boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_queue CHECK (the_one),
    version      text NOT NULL,
    migrations   text[] NOT NULL,
    schema_hash  text NOT NULL CONSTRAINT a_hash_is_sha256 CHECK (schema_hash ~ '^[0-9a-f]{64}$'),
    installed_at timestamptz NOT NULL DEFAULT now()
);

-- The youngest slot of a schedule that was taken. Whoever takes one has put its job into the queue in the same
-- transaction: at most once over all workers, and after an outage once, not once for every slot that passed.
CREATE TABLE jobs.slot (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    job        text NOT NULL CONSTRAINT a_job_has_a_name CHECK (job ~ '^[a-z][a-z0-9_-]{0,62}$'),
    taken      timestamptz NOT NULL,
    PRIMARY KEY (archive_id, job)
);

-- Slots only move forward, and never past the database's own clock. A slot in the future is what a clock that was wrong
-- left behind: it may go back to the present, else the schedule would end until then.
CREATE FUNCTION jobs.keep_slots() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.taken > statement_timestamp() THEN
        RAISE EXCEPTION 'a slot is in the future' USING ERRCODE = '23514', TABLE = 'slot', CONSTRAINT = 'a_slot_has_come';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.taken < OLD.taken AND OLD.taken <= statement_timestamp() THEN
        RAISE EXCEPTION 'a slot goes back' USING ERRCODE = '23514', TABLE = 'slot', CONSTRAINT = 'slots_only_move_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER slots_only_move_forward BEFORE INSERT OR UPDATE ON jobs.slot FOR EACH ROW EXECUTE FUNCTION jobs.keep_slots();

-- What ran, one row an attempt. Open while it runs; what a killed worker left is closed by who gives its job back.
CREATE TABLE jobs.attempt (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    attempt_id bigint GENERATED ALWAYS AS IDENTITY,
    job        text NOT NULL CONSTRAINT a_job_has_a_name CHECK (job ~ '^[a-z][a-z0-9_-]{0,62}$'),
    job_id     bigint NOT NULL,               -- of the library's table; the attempt outlives it
    began_at   timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    outcome    text CONSTRAINT an_outcome_is_known CHECK (outcome IN (
                   'done',         -- exit 0
                   'waits',        -- exit 4: something waits for its owner, the rest is served
                   'failed',       -- exit 1, 2, any other, or a signal
                   'unavailable',  -- exit 69: tried again while attempts are left
                   'timed-out',    -- longer than its limit, and ended
                   'given-back',   -- its worker was told to end, or could not start it
                   'lost')),       -- its worker died
    exit_code  smallint,
    PRIMARY KEY (archive_id, attempt_id),
    CONSTRAINT what_ended_has_an_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT a_code_is_of_what_ended CHECK (exit_code IS NULL OR outcome IS NOT NULL)
);
CREATE INDEX attempt_by_job ON jobs.attempt (archive_id, job, attempt_id);
CREATE INDEX attempt_by_queued ON jobs.attempt (job_id) WHERE ended_at IS NULL;

-- The queue serves every archive, and sees of each that it has jobs.
ALTER TABLE jobs.slot ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs.attempt ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY the_queue_serves_every_archive ON jobs.slot TO fonds_queue USING (true);
CREATE POLICY the_queue_serves_every_archive ON jobs.attempt TO fonds_queue USING (true);
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON jobs.slot FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON jobs.attempt FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();

GRANT SELECT ON jobs.queue_version TO fonds_queue;
GRANT SELECT, INSERT, UPDATE (taken) ON jobs.slot TO fonds_queue;
GRANT SELECT, INSERT (archive_id, job, job_id), UPDATE (ended_at, outcome, exit_code), DELETE ON jobs.attempt TO fonds_queue;
-- Row security, forced on every table that has an archive_id: the owner is bound by it as well, and has no policy.
-- Each policy compares with (SELECT api.scope()): evaluated once a query, raising when no archive is set.

DO $policies$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT c.oid::regclass AS name, n.nspname AS schema
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('private', 'served') AND c.relkind = 'r' ORDER BY 1 LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t.name);
        EXECUTE format('CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate()', t.name);
        EXECUTE format('CREATE POLICY archive_is_removed ON %s TO fonds_remover USING (archive_id = (SELECT api.scope()))', t.name);
        IF t.schema = 'private' THEN
            EXECUTE format('CREATE POLICY archive_is_ingested ON %s %s TO fonds_ingest USING (archive_id = (SELECT api.scope()))',
                           t.name, CASE t.name WHEN 'private.archive'::regclass THEN 'FOR SELECT' END);
            EXECUTE format('CREATE POLICY archive_is_built ON %s %s TO fonds_build USING (archive_id = (SELECT api.scope()))',
                           t.name, CASE t.name WHEN 'private.archive'::regclass THEN 'FOR SELECT' END);
            EXECUTE format('CREATE POLICY archive_is_curated ON %s TO fonds_curator USING (archive_id = (SELECT api.scope()))', t.name);
            EXECUTE format('CREATE POLICY archive_is_narrowed ON %s TO fonds_narrower USING (archive_id = (SELECT api.scope()))', t.name);
        ELSE
            EXECUTE format('CREATE POLICY archive_is_built ON %s TO fonds_build USING (archive_id = (SELECT api.scope()))', t.name);
            EXECUTE format('CREATE POLICY archive_is_narrowed ON %s TO fonds_narrower USING (archive_id = (SELECT api.scope()))', t.name);
        END IF;
    END LOOP;
END
$policies$;

-- Writers stand in line at an archive's row. To lock it takes the right to change its counter, and changing that is the
-- narrowing functions' alone: put back, it would let a build by that never heard of what was withdrawn since.
CREATE POLICY archive_is_held ON private.archive FOR UPDATE TO fonds_ingest, fonds_build
    USING (archive_id = (SELECT api.scope())) WITH CHECK (false);

-- The keys of scopes: a check reads the one of the login that asks; the migrator registers all, through a function.
ALTER TABLE seal.scope_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON seal.scope_key FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();
CREATE POLICY a_login_is_checked_by_its_key ON seal.scope_key FOR SELECT TO fonds_sealer USING (login = SESSION_USER);
CREATE POLICY the_migrator_registers_keys ON seal.scope_key TO fonds_sealer USING (SESSION_USER = 'fonds_migrator');

-- Finding an archive is the one thing that happens before a scope is set; who knocks at the door is looked for likewise.
CREATE POLICY archives_are_found_by_slug ON private.archive TO fonds_registrar USING (true);
CREATE POLICY archives_get_their_locks ON private.job_lock TO fonds_registrar USING (true);
CREATE POLICY terms_are_registered ON private.access TO fonds_registrar USING (true);
CREATE POLICY the_door_finds_archives ON private.archive FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY the_door_finds_terms ON private.access FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY the_door_finds_keys ON private.api_key FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY archive_has_its_keys ON private.api_key TO fonds_keysmith USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_audited ON private.audit FOR INSERT TO fonds_keysmith WITH CHECK (archive_id = (SELECT api.scope()));
-- What a host is shown of its archives: counts, and no content.
CREATE POLICY archives_are_listed ON private.archive FOR SELECT TO fonds_lister USING (true);
CREATE POLICY terms_are_listed ON private.access FOR SELECT TO fonds_lister USING (true);
CREATE POLICY keys_are_counted ON private.api_key FOR SELECT TO fonds_lister USING (true);
CREATE POLICY pointers_are_listed ON served.live FOR SELECT TO fonds_lister USING (true);
CREATE POLICY builds_are_listed ON served.build FOR SELECT TO fonds_lister USING (true);
CREATE POLICY removals_are_listed ON private.removal FOR SELECT TO fonds_lister USING (true);
CREATE POLICY refusals_are_appended ON private.refusal FOR INSERT TO fonds_clerk WITH CHECK (archive_id = (SELECT api.scope()));
CREATE POLICY questions_are_found ON private.refusal FOR SELECT TO fonds_clerk USING (archive_id = (SELECT api.scope()));
CREATE POLICY questions_are_erased ON private.refusal FOR UPDATE TO fonds_clerk
    USING (archive_id = (SELECT api.scope())) WITH CHECK (question IS NULL);
CREATE POLICY archive_says_what_is_kept ON private.archive TO fonds_clerk USING (archive_id = (SELECT api.scope()));

-- A reader, and the search it calls, see the live build of their archive and nothing that is being written or was retired.
CREATE POLICY archive_reads_its_pointer ON served.live FOR SELECT TO fonds_reader, fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_reads_its_live_build ON served.build FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.calibration FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.entity FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.fragment FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_is_searched ON served.embedding FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.phrase FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.posting FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.name FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.near_index FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.index_spread FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
-- What makes an index sees the vectors of the archive in scope.
CREATE POLICY archive_is_indexed ON served.embedding FOR SELECT TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.build TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.near_index TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.index_spread TO fonds_indexer USING (archive_id = (SELECT api.scope()));
-- Who tells how an archive stands reads what there is to count of it.
CREATE POLICY archive_is_overseen ON private.run FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_overseen ON private.refusal FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_overseen ON private.access FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
-- What counts reads an archive's terms and dimensions, and counts. Of other archives it sees what is of another day, to delete it.
CREATE POLICY archive_is_limited ON private.access FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_limited ON served.live FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_limited ON served.build FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.limit_day TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.caller_day TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.charged_question TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY days_that_are_over_go ON private.limit_day TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
CREATE POLICY days_that_are_over_go ON private.caller_day TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
CREATE POLICY days_that_are_over_go ON private.charged_question TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
-- Who may do what. Nothing is PUBLIC's. The guarantee is here: settings of a session are defaults it may change.

REVOKE ALL ON SCHEMA private, served, api, seal FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA private, served, seal FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA private, api FROM PUBLIC;

-- Every pool knows the type of a vector, whether its login reads one or not.
GRANT USAGE ON SCHEMA ext TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue, fonds_nearest, fonds_narrower, fonds_indexer;
GRANT USAGE ON SCHEMA api TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue, fonds_nearest, fonds_narrower,
    fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith, fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_indexer;
GRANT USAGE ON SCHEMA private TO fonds_ingest, fonds_build, fonds_curator, fonds_narrower, fonds_registrar, fonds_clerk,
    fonds_doorkeeper, fonds_keysmith, fonds_lister, fonds_limiter, fonds_overseer, fonds_remover;
GRANT USAGE ON SCHEMA served TO fonds_build, fonds_reader, fonds_nearest, fonds_narrower, fonds_lister, fonds_limiter, fonds_remover, fonds_indexer;

GRANT EXECUTE ON FUNCTION api.scope() TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk,
    fonds_keysmith, fonds_limiter, fonds_overseer, fonds_remover, fonds_indexer;
-- Whose scope it is, one role checks, and no other reads a key. The migrator replaces keys and is shown none.
GRANT USAGE ON SCHEMA seal TO fonds_sealer;
GRANT USAGE ON SCHEMA api TO fonds_migrator;
GRANT SELECT, INSERT, UPDATE ON seal.scope_key TO fonds_sealer;
GRANT EXECUTE ON FUNCTION api.register_scope_key(text, bytea, bytea) TO fonds_migrator;
GRANT EXECUTE ON FUNCTION api.revision() TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue;
GRANT EXECUTE ON FUNCTION api.is_identifier_list(jsonb), api.is_attribution_list(jsonb), api.is_place(jsonb) TO fonds_ingest, fonds_build, fonds_curator, fonds_narrower;
GRANT EXECUTE ON FUNCTION api.strictness(text) TO fonds_build, fonds_narrower;

-- Ingest writes bodies it cannot read back; hashes decide what changed.
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at), UPDATE (narrowing) ON private.archive TO fonds_ingest;
GRANT SELECT, UPDATE (taken_at) ON private.job_lock TO fonds_ingest, fonds_build;
GRANT SELECT, INSERT ON private.run TO fonds_ingest, fonds_build;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.source TO fonds_ingest;
GRANT SELECT (archive_id, entity_id, source_key, raw, exposure, type, row_hash, require_review), INSERT, UPDATE, DELETE ON private.entity TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, entity_id, raw, exposure, file_exposure, text_hash, embed_hash, row_hash), INSERT, UPDATE, DELETE ON private.fragment TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, space_id, embed_hash, dimensions), INSERT, UPDATE, DELETE ON private.embedding TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, source, review, vetoed, stale, lint, content_hash, model, prompt_version) ON private.projection TO fonds_ingest;
-- Who and when are the database's own words.
GRANT SELECT, INSERT (archive_id, action, subject) ON private.audit TO fonds_ingest, fonds_build, fonds_curator;
GRANT EXECUTE ON FUNCTION api.register_archive(text, text, text, text, boolean, integer, integer, integer, integer) TO fonds_ingest, fonds_host;
GRANT EXECUTE ON FUNCTION api.was_private(text, text[]), api.forget_private(text, text[]), api.narrow_fragment(text, text), api.erase_gists(text[]) TO fonds_ingest;

-- A build reads the private side and writes the served one.
GRANT SELECT ON private.source, private.entity, private.fragment, private.embedding, private.projection, private.narrowing TO fonds_build;
GRANT SELECT, INSERT ON private.awaiting TO fonds_build;
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at), UPDATE (narrowing) ON private.archive TO fonds_build;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA served TO fonds_build;
-- Words come and go whole, and postings follow by trigger: nobody can add a word to what nobody serves.
REVOKE UPDATE ON served.word_list FROM fonds_build;
REVOKE INSERT, UPDATE, DELETE ON served.posting FROM fonds_build;
GRANT EXECUTE ON FUNCTION api.live_build(), api.catch_up_narrowing(integer) TO fonds_build;
-- It has the index of a build made and dropped, and admits it by what it measured; the copy of the vectors it cannot see.
GRANT EXECUTE ON FUNCTION api.make_index(integer, integer, integer, integer, integer), api.drop_index(integer), api.index_bytes(integer) TO fonds_build;
-- It asks the calibration questions of a build before that is live, through what a reader searches with.
GRANT SELECT, INSERT, UPDATE, DELETE ON private.calibration, private.calibration_vector TO fonds_build;
GRANT EXECUTE ON FUNCTION
    api.nearest_content(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean, integer),
    api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) TO fonds_build;

-- The author's hand: projections, and exposures made stricter.
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at) ON private.archive TO fonds_curator;
GRANT SELECT ON private.entity, private.fragment, private.projection, private.tightening, private.awaiting, private.refusal, private.run TO fonds_curator;
GRANT INSERT, UPDATE, DELETE ON private.projection TO fonds_curator;
GRANT SELECT (archive_id, fragment_id, entity_id, exposure, vetoed, removed_at) ON private.ledger TO fonds_curator;
GRANT EXECUTE ON FUNCTION api.tighten_fragment(text, text), api.lift_tightening(text), api.forget_tombstones(text[]) TO fonds_curator;

-- The serving role: content of the live build by row. No vectors, no private schema, no temporary tables.
GRANT SELECT ON served.live, served.build, served.calibration, served.entity, served.fragment TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.live_build(), api.served_build(), api.served_calibration(), api.narrowings(), api.open_archive(text), api.note_refusal(text, jsonb, text, integer),
    api.nearest_content(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean, integer),
    api.undated(text[], text[], text[], text, boolean, text, boolean),
    api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.take(text, text, text), api.charge_private(text, text, text, bytea) TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.open_archive(text) TO fonds_ingest, fonds_build, fonds_curator, fonds_host;
-- The queue finds the archive of a file, and nothing of it. Its own tables are granted where they stand (jobs.sql).
GRANT EXECUTE ON FUNCTION api.open_archive(text) TO fonds_queue;

-- Who may come in. The reader asks the door and learns a number or nothing.
GRANT EXECUTE ON FUNCTION api.admit(text, bytea, text) TO fonds_reader;
GRANT SELECT (archive_id, slug, leaving_at) ON private.archive TO fonds_doorkeeper;
GRANT SELECT (archive_id, anonymous) ON private.access TO fonds_doorkeeper;
GRANT SELECT (archive_id, key_id, key_hash, scopes, expires_at, revoked_at) ON private.api_key TO fonds_doorkeeper;

-- How an archive stands, in numbers, for a caller whose key says it may know.
GRANT EXECUTE ON FUNCTION api.standing(integer) TO fonds_reader;
GRANT SELECT (archive_id, run_id, job, outcome, finished_at) ON private.run TO fonds_overseer;
GRANT SELECT (archive_id, reason, refused_at) ON private.refusal TO fonds_overseer;
GRANT SELECT (archive_id, anonymous, caller_per_minute, caller_per_day, archive_per_day, private_per_day) ON private.access TO fonds_overseer;

-- The host: archives and their keys, through functions. No table, so no content and no hash.
GRANT EXECUTE ON FUNCTION api.mint_key(bytea, text[], text, integer), api.revoke_key(bigint), api.list_keys(), api.find_key(bytea), api.list_archives(),
    api.list_removals(), api.unremovable(), api.hold_jobs(), api.begin_removal(), api.remove_portion(integer),
    api.finish_removal(bigint) TO fonds_host;
GRANT SELECT (archive_id, key_id, scopes, label, minted_at, expires_at, revoked_at),
    INSERT (archive_id, key_hash, scopes, label, expires_at), UPDATE (revoked_at) ON private.api_key TO fonds_keysmith;
GRANT INSERT (archive_id, action, subject) ON private.audit TO fonds_keysmith;

-- Who removes an archive erases rows it cannot read; a table that comes later and is not granted here goes by cascade.
DO $removing$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('private', 'served') AND c.relkind = 'r' AND c.oid <> 'private.removal'::regclass ORDER BY 1 LOOP
        EXECUTE format('GRANT DELETE, SELECT (archive_id, ctid) ON %s TO fonds_remover', t);
    END LOOP;
END
$removing$;
GRANT SELECT (leaving_at), UPDATE (leaving_at) ON private.archive TO fonds_remover;
GRANT SELECT (job), UPDATE (taken_at) ON private.job_lock TO fonds_remover;
GRANT INSERT (archive_id, row_count) ON private.removal TO fonds_remover;
GRANT EXECUTE ON FUNCTION private.removal_order() TO fonds_remover;

-- The narrow roles behind the definer functions.
GRANT SELECT ON served.live, served.embedding, served.phrase, served.name, served.posting, served.near_index, served.index_spread TO fonds_nearest;
GRANT EXECUTE ON FUNCTION
    api.pool_by_index(integer, ext.halfvec, double precision, integer, double precision, double precision, double precision,
                double precision, integer[], double precision[], double precision, text[], text[]),
    api.named_by_index(integer, ext.halfvec, integer), api.named_by_number(integer, integer[]) TO fonds_nearest;
-- It makes tables in the schema indexes, and owns them: on a table of the house it has no right beyond these.
GRANT USAGE, CREATE ON SCHEMA indexes TO fonds_indexer;
GRANT SELECT (archive_id, build_id, fragment_id, raw, number, embedding) ON served.embedding TO fonds_indexer;
-- To lock a row takes the right to change a column of it.
GRANT SELECT (archive_id, build_id, dimensions), UPDATE (dimensions) ON served.build TO fonds_indexer;
GRANT SELECT (archive_id, build_id), INSERT (archive_id, build_id, links, width, breadth, least, vectors), UPDATE (admitted, centre), DELETE
    ON served.near_index TO fonds_indexer;
GRANT SELECT (archive_id, build_id), DELETE ON served.index_spread TO fonds_indexer;
GRANT EXECUTE ON FUNCTION api.live_build(), api.named_fragments(integer, text, text, boolean), api.word_ranks(integer, text[], integer) TO fonds_nearest;
GRANT SELECT, UPDATE (narrowing) ON private.archive TO fonds_narrower;
GRANT SELECT, INSERT, DELETE ON private.narrowing TO fonds_narrower;
GRANT INSERT (archive_id, action, subject) ON private.audit TO fonds_narrower;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.ledger, private.tightening TO fonds_narrower;
GRANT SELECT, INSERT ON private.ledger_text TO fonds_narrower;
GRANT SELECT, DELETE ON private.awaiting TO fonds_narrower;
GRANT SELECT, DELETE, UPDATE (stale, lint, gist, draft) ON private.projection TO fonds_narrower;
GRANT SELECT (archive_id, fragment_id, entity_id, exposure, file_exposure), UPDATE (exposure) ON private.fragment TO fonds_narrower;
GRANT SELECT (archive_id, entity_id, require_review) ON private.entity TO fonds_narrower;
GRANT SELECT, UPDATE, DELETE ON served.fragment, served.entity TO fonds_narrower;
GRANT SELECT, DELETE ON served.word_list TO fonds_narrower;
GRANT SELECT, INSERT, UPDATE, DELETE ON served.posting TO fonds_narrower;
GRANT SELECT, UPDATE (entity_count, fragment_count, public_entity_count, text_count, narrowing) ON served.build TO fonds_narrower;
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at, leaving_at), INSERT (slug, name, author, base_url), UPDATE (name, author, base_url)
    ON private.archive TO fonds_registrar;
GRANT SELECT, INSERT, UPDATE ON private.access TO fonds_registrar;
GRANT SELECT (archive_id, revoked_at, expires_at) ON private.api_key TO fonds_lister;
GRANT SELECT (archive_id, build_id) ON served.live TO fonds_lister;
GRANT SELECT (archive_id, build_id, built_at, entity_count, fragment_count) ON served.build TO fonds_lister;
GRANT SELECT ON private.removal TO fonds_lister;
GRANT SELECT (archive_id, slug, created_at, leaving_at) ON private.archive TO fonds_lister;
GRANT SELECT (archive_id, anonymous) ON private.access TO fonds_lister;
GRANT SELECT, INSERT ON private.job_lock TO fonds_registrar;
GRANT INSERT, SELECT (archive_id, refused_at, question_until), UPDATE (question, question_until) ON private.refusal TO fonds_clerk;
GRANT SELECT (archive_id, question_days), UPDATE (question_days) ON private.archive TO fonds_clerk;
GRANT EXECUTE ON FUNCTION api.is_refusal_record(jsonb) TO fonds_clerk;
GRANT EXECUTE ON FUNCTION api.keep_questions(integer) TO fonds_ingest, fonds_build, fonds_curator;
GRANT EXECUTE ON FUNCTION api.reduce_fragment(text, text, integer), api.narrow_fragment(text, text), api.settle_builds(integer) TO fonds_narrower;
GRANT SELECT (archive_id, caller_per_minute, caller_per_day, archive_per_day, private_per_day) ON private.access TO fonds_limiter;
GRANT SELECT (archive_id, build_id) ON served.live TO fonds_limiter;
GRANT SELECT (archive_id, build_id, dimensions) ON served.build TO fonds_limiter;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.limit_day, private.caller_day, private.charged_question TO fonds_limiter;
GRANT EXECUTE ON FUNCTION private.limit_terms(), private.fresh_key(), private.keyed_hash(bytea, text, text), private.slot_of(timestamptz),
    private.day_is_young(timestamptz), private.limit_day_at(timestamptz),
    private.caller_day_at(private.limit_day, text, text, timestamptz),
    private.seconds_to_wait(private.caller_day, bigint, timestamptz), private.seconds_to_midnight(timestamptz),
    private.limit_reached(private.limit_terms, private.limit_day, private.caller_day, private.caller_day, boolean, timestamptz),
    private.check_caller(text, text, text),
    private.keep_request(private.limit_day, private.caller_day, private.caller_day, boolean), private.forget_days(timestamptz),
    private.was_charged(private.limit_day, bytea, bytea), private.take_at(timestamptz, text, text, text),
    private.charge_at(timestamptz, text, text, text, bytea) TO fonds_limiter;

-- Handing over comes last: a function's owner grants, and afterwards is another.
GRANT CREATE ON SCHEMA api, private TO fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith,
    fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_sealer, fonds_indexer;
ALTER FUNCTION api.scope() OWNER TO fonds_sealer;
ALTER FUNCTION api.register_scope_key(text, bytea, bytea) OWNER TO fonds_sealer;
ALTER FUNCTION api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) OWNER TO fonds_nearest;
ALTER FUNCTION api.undated(text[], text[], text[], text, boolean, text, boolean) OWNER TO fonds_nearest;
ALTER FUNCTION api.open_archive(text) OWNER TO fonds_registrar;
ALTER FUNCTION api.register_archive(text, text, text, text, boolean, integer, integer, integer, integer) OWNER TO fonds_registrar;
ALTER FUNCTION api.list_archives() OWNER TO fonds_lister;
ALTER FUNCTION api.list_removals() OWNER TO fonds_lister;
ALTER FUNCTION api.admit(text, bytea, text) OWNER TO fonds_doorkeeper;
ALTER FUNCTION api.find_key(bytea) OWNER TO fonds_doorkeeper;
ALTER FUNCTION api.mint_key(bytea, text[], text, integer) OWNER TO fonds_keysmith;
ALTER FUNCTION api.revoke_key(bigint) OWNER TO fonds_keysmith;
ALTER FUNCTION api.list_keys() OWNER TO fonds_keysmith;
ALTER FUNCTION api.unremovable() OWNER TO fonds_remover;
ALTER FUNCTION api.hold_jobs() OWNER TO fonds_remover;
ALTER FUNCTION api.begin_removal() OWNER TO fonds_remover;
ALTER FUNCTION api.remove_portion(integer) OWNER TO fonds_remover;
ALTER FUNCTION api.finish_removal(bigint) OWNER TO fonds_remover;
ALTER FUNCTION api.note_refusal(text, jsonb, text, integer) OWNER TO fonds_clerk;
ALTER FUNCTION api.keep_questions(integer) OWNER TO fonds_clerk;
ALTER FUNCTION api.standing(integer) OWNER TO fonds_overseer;
ALTER FUNCTION api.take(text, text, text) OWNER TO fonds_limiter;
ALTER FUNCTION api.charge_private(text, text, text, bytea) OWNER TO fonds_limiter;
ALTER FUNCTION api.reduce_fragment(text, text, integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.narrow_fragment(text, text) OWNER TO fonds_narrower;
ALTER FUNCTION api.narrowings() OWNER TO fonds_registrar;
ALTER FUNCTION api.settle_builds(integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.catch_up_narrowing(integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.was_private(text, text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.forget_private(text, text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.erase_gists(text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.tighten_fragment(text, text) OWNER TO fonds_narrower;
ALTER FUNCTION api.lift_tightening(text) OWNER TO fonds_narrower;
ALTER FUNCTION api.forget_tombstones(text[]) OWNER TO fonds_narrower;
ALTER FUNCTION private.tighten() OWNER TO fonds_narrower;
ALTER FUNCTION private.hold_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.drop_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.forget_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_fragment() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_projection() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_entity() OWNER TO fonds_narrower;
ALTER FUNCTION private.keep_ledger() OWNER TO fonds_narrower;
ALTER FUNCTION private.keep_veto() OWNER TO fonds_narrower;
ALTER FUNCTION private.settle_narrowed() OWNER TO fonds_narrower;
ALTER FUNCTION api.make_index(integer, integer, integer, integer, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.sweep_index(integer, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.drop_index(integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.index_bytes(integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.named_by_index(integer, ext.halfvec, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.named_by_number(integer, integer[]) OWNER TO fonds_indexer;
ALTER FUNCTION private.follow_build() OWNER TO fonds_indexer;
REVOKE CREATE ON SCHEMA api, private FROM fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith,
    fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_sealer, fonds_indexer;
