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
