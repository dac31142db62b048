-- name: plan_for_many
-- Under row security the planner takes an archive for a handful of rows and joins them one by one:
-- 173 s for a build of 10,000 fragments, and the square of that for more. Every join here is of whole
-- batches, by hash: sorting runs of words costs more than joining them. And statistics know nothing of
-- a build that is being written, so that each check of a reference would be planned anew: 160 us a row.
SELECT set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: begin_build
-- Numbered under the archive's row lock; the job lock already keeps a second build out.
INSERT INTO served.build (archive_id, build_id, state, provider, model, dimensions, query_prefix, passage_prefix,
                          centring, space_id, score_floor, coverage_floor, fingerprint, narrowing)
SELECT a.archive_id,
       coalesce((SELECT max(b.build_id) FROM served.build b WHERE b.archive_id = a.archive_id), 0) + 1,
       'building', %(provider)s, %(model)s, %(dimensions)s, %(query_prefix)s, %(passage_prefix)s,
       %(centring)s, %(space_id)s, %(score_floor)s, %(coverage_floor)s, '', a.narrowing
  FROM (SELECT archive_id, narrowing FROM private.archive WHERE archive_id = (SELECT api.scope()) FOR NO KEY UPDATE) AS a
RETURNING build_id;

-- name: drop_build
-- A build that never went live and is not wanted.
DELETE FROM served.build
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s
   AND build_id NOT IN (SELECT build_id FROM served.live WHERE archive_id = (SELECT api.scope()));

-- name: fingerprint
-- What a build would be made of. Public fragments and vectors by the hash ingest gave them; what is linted by its
-- own content, so that a row changed by hand is looked at again.
-- The narrowing counter tells a row that came back from one that never went: served rows went with it.
SELECT encode(sha256(convert_to(concat_ws('|', %(terms)s::text,
    (SELECT a.narrowing FROM private.archive a WHERE a.archive_id = (SELECT api.scope())),
    (SELECT string_agg(md5(e::text), ',' ORDER BY e.entity_id) FROM private.entity e WHERE e.archive_id = (SELECT api.scope())),
    (SELECT string_agg(f.fragment_id || CASE WHEN f.raw = 'public' AND f.exposure <> 'semantic' THEN f.row_hash || f.exposure ELSE md5(f::text) END
                       || coalesce(v.embed_hash, '-'), ',' ORDER BY f.fragment_id)
       FROM private.fragment f
       LEFT JOIN private.embedding v ON v.archive_id = f.archive_id AND v.fragment_id = f.fragment_id AND v.space_id = %(space_id)s
      WHERE f.archive_id = (SELECT api.scope())),
    (SELECT string_agg(md5(p::text), ',' ORDER BY p.fragment_id)
       FROM private.projection p WHERE p.archive_id = (SELECT api.scope()))), 'UTF8')), 'hex') AS fingerprint;

-- name: snapshot_narrowing
-- Narrowings later than this are re-applied at the switch.
SELECT narrowing FROM private.archive WHERE archive_id = (SELECT api.scope());

-- name: lacking_vectors
-- A vector counts when it was made from the words the fragment has now.
SELECT count(*)
  FROM private.fragment f
  LEFT JOIN private.embedding v ON v.archive_id = f.archive_id AND v.fragment_id = f.fragment_id AND v.space_id = %(space_id)s
 WHERE f.archive_id = (SELECT api.scope()) AND f.exposure <> 'none' AND v.embed_hash IS DISTINCT FROM f.embed_hash;

-- name: entities_to_check
-- Private entities, and public ones that ask to be described: their text is linted again by every build.
SELECT e.entity_id, e.raw, e.exposure, e.type, e.title, e.url, e.attribution, e.date, e.version, e.identifiers,
       e.parent, e.themes, e.require_review, e.public_title, e.ngram_words, e.ngram_chars, e.gist_max_chars
  FROM private.entity e
 WHERE e.archive_id = (SELECT api.scope())
   AND e.entity_id IN (
        SELECT p.entity_id FROM private.entity p WHERE p.archive_id = (SELECT api.scope()) AND p.raw = 'private'
         UNION
        SELECT f.entity_id FROM private.fragment f WHERE f.archive_id = (SELECT api.scope()) AND f.exposure = 'semantic')
 ORDER BY e.entity_id COLLATE "C";

-- name: fragments_to_check
-- All fragments of some entities with their projections, in fragment-id order. Projections are asked for by
-- an array, which goes to the index: joined alone, all of the archive's are read for each batch of entities.
WITH asked AS MATERIALIZED (
    SELECT * FROM private.fragment WHERE archive_id = (SELECT api.scope()) AND entity_id = ANY (%(entity_ids)s))
SELECT f.entity_id, f.fragment_id, f.raw, f.exposure, f.place, f.text, f.attribution, f.date, f.summary, f.themes,
       f.trail, f.source_review, f.text_hash,
       p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash, p.model, p.prompt_version,
       p.generated_at::text AS generated_at
  FROM asked f
  LEFT JOIN private.projection p ON p.archive_id = (SELECT api.scope()) AND p.fragment_id = f.fragment_id
                                AND p.fragment_id = ANY (ARRAY(SELECT fragment_id FROM asked))
 ORDER BY f.entity_id COLLATE "C", f.fragment_id COLLATE "C";

-- name: entity_titles
-- For phrases: a question may name an entity by its title or its slug.
SELECT entity_id, title FROM private.entity WHERE archive_id = (SELECT api.scope()) ORDER BY entity_id COLLATE "C";

-- name: distinct_themes
SELECT DISTINCT theme
  FROM (SELECT unnest(themes) AS theme FROM private.fragment WHERE archive_id = (SELECT api.scope())
        UNION ALL SELECT unnest(themes) FROM private.entity WHERE archive_id = (SELECT api.scope())) AS every
 ORDER BY theme;

-- name: distinct_names
-- Placeholders are not people and match no name.
SELECT DISTINCT person ->> 'name' AS name
  FROM (SELECT attribution FROM private.fragment WHERE archive_id = (SELECT api.scope())
        UNION ALL SELECT attribution FROM private.entity WHERE archive_id = (SELECT api.scope())) AS every,
       jsonb_array_elements(every.attribution) AS person
 WHERE NOT person ? 'placeholder'
 ORDER BY 1;

-- name: stage_gists
CREATE TEMPORARY TABLE staged_gist (fragment_id text PRIMARY KEY, gist text NOT NULL, source text NOT NULL, review text NOT NULL) ON COMMIT DROP;

-- name: stage_titles
CREATE TEMPORARY TABLE staged_title (entity_id text NOT NULL, phrase text NOT NULL) ON COMMIT DROP;

-- name: stage_themes
CREATE TEMPORARY TABLE staged_theme (theme text PRIMARY KEY, phrase text NOT NULL) ON COMMIT DROP;

-- name: stage_names
CREATE TEMPORARY TABLE staged_name (name text PRIMARY KEY, normalised text NOT NULL, unspaced boolean NOT NULL) ON COMMIT DROP;

-- name: copy_gists
COPY staged_gist (fragment_id, gist, source, review) FROM STDIN (FORMAT BINARY);

-- name: copy_titles
COPY staged_title (entity_id, phrase) FROM STDIN (FORMAT BINARY);

-- name: copy_themes
COPY staged_theme (theme, phrase) FROM STDIN (FORMAT BINARY);

-- name: copy_names
COPY staged_name (name, normalised, unspaced) FROM STDIN (FORMAT BINARY);

-- name: analyse_staged
ANALYZE staged_gist, staged_title, staged_theme, staged_name;

-- name: serve_entities
-- Entities that keep at least one fragment; policy stays behind, and so does a parent that is not served (R026).
WITH kept AS MATERIALIZED (
    SELECT DISTINCT entity_id FROM private.fragment WHERE archive_id = (SELECT api.scope()) AND exposure <> 'none')
INSERT INTO served.entity (archive_id, build_id, entity_id, raw, type, title, url, attribution, date, version, identifiers, parent, themes)
SELECT e.archive_id, %(build_id)s, e.entity_id, e.raw, e.type, e.title, e.url, e.attribution, e.date, e.version, e.identifiers,
       parent.entity_id, e.themes
  FROM private.entity e
  JOIN kept ON kept.entity_id = e.entity_id
  LEFT JOIN kept AS parent ON parent.entity_id = e.parent
 WHERE e.archive_id = (SELECT api.scope())
 ORDER BY e.entity_id;

-- name: serve_fragments
-- The strip: text, summary and trail with text only; a gist with semantic only; without a servable gist a location.
INSERT INTO served.fragment (archive_id, build_id, fragment_id, entity_id, raw, exposure, place, label, text, summary, trail,
                             gist, gist_source, gist_review, attribution, date, date_start, date_end, themes)
SELECT f.archive_id, %(build_id)s, f.fragment_id, f.entity_id, f.raw, r.exposure, f.place, f.label,
       CASE WHEN r.exposure = 'text' THEN f.text ELSE '' END,
       CASE WHEN r.exposure = 'text' THEN coalesce(f.summary, '') ELSE '' END,
       CASE WHEN r.exposure = 'text' THEN f.trail ELSE '{}' END,
       CASE WHEN r.exposure = 'semantic' THEN g.gist END,
       CASE WHEN r.exposure = 'semantic' THEN g.source END,
       CASE WHEN r.exposure = 'semantic' THEN g.review END,
       f.attribution,
       coalesce(f.date, e.date), CASE WHEN f.date IS NULL THEN e.date_start ELSE f.date_start END,
       CASE WHEN f.date IS NULL THEN e.date_end ELSE f.date_end END,
       f.themes
  FROM private.fragment f
  JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
  LEFT JOIN staged_gist g ON g.fragment_id = f.fragment_id
 CROSS JOIN LATERAL (SELECT CASE WHEN f.exposure = 'semantic' AND g.fragment_id IS NULL THEN 'locator' ELSE f.exposure END AS exposure) AS r
 WHERE f.archive_id = (SELECT api.scope()) AND f.exposure <> 'none'
 ORDER BY f.fragment_id;

-- name: serve_vectors
-- One build writes its rows together: an archive's scan stays on its own pages. A text keeps the number it has in the
-- build before, so that postings can be taken over; others take the smallest that are free.
WITH before AS MATERIALIZED (
    SELECT w.fragment_id, w.number
      FROM served.word_list w
     WHERE w.archive_id = (SELECT api.scope())
       AND w.build_id = (SELECT max(b.build_id) FROM served.build b
                          WHERE b.archive_id = (SELECT api.scope()) AND b.build_id < %(build_id)s AND b.may_be_live)),
texts AS MATERIALIZED (
    SELECT f.fragment_id, before.number, row_number() OVER (PARTITION BY before.number IS NULL ORDER BY f.fragment_id) AS nth
      FROM served.fragment f LEFT JOIN before ON before.fragment_id = f.fragment_id
     WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND f.exposure = 'text'),
free AS MATERIALIZED (
    SELECT n AS number, row_number() OVER (ORDER BY n) AS nth
      FROM generate_series(1, (SELECT count(*) FROM texts)) AS n
     WHERE NOT EXISTS (SELECT FROM texts t WHERE t.number = n)),
numbered AS MATERIALIZED (
    SELECT t.fragment_id, coalesce(t.number, free.number)::integer AS number
      FROM texts t LEFT JOIN free ON t.number IS NULL AND free.nth = t.nth)
INSERT INTO served.embedding (archive_id, build_id, fragment_id, entity_id, raw, exposure, type, date_start, date_end, dimensions, embedding, number)
SELECT s.archive_id, s.build_id, s.fragment_id, s.entity_id, s.raw, s.exposure, e.type, s.date_start, s.date_end, v.dimensions, v.embedding,
       numbered.number
  FROM served.fragment s
  JOIN private.entity e ON e.archive_id = s.archive_id AND e.entity_id = s.entity_id
  JOIN private.embedding v ON v.archive_id = s.archive_id AND v.fragment_id = s.fragment_id AND v.space_id = %(space_id)s
  LEFT JOIN numbered ON numbered.fragment_id = s.fragment_id
 WHERE s.archive_id = (SELECT api.scope()) AND s.build_id = %(build_id)s
 ORDER BY s.fragment_id;

-- name: serve_words
-- Of what is served as text; ingest folded them. Postings follow by trigger.
INSERT INTO served.word_list (archive_id, build_id, fragment_id, raw, exposure, number, words, weights)
SELECT v.archive_id, v.build_id, v.fragment_id, v.raw, v.exposure, v.number, f.words, f.weights
  FROM served.embedding v
  JOIN private.fragment f ON f.archive_id = v.archive_id AND f.fragment_id = v.fragment_id
 WHERE v.archive_id = (SELECT api.scope()) AND v.build_id = %(build_id)s AND v.exposure = 'text';

-- name: serve_title_phrases
-- Rows of one fragment stand side by side: they go with it, and looked for all over a build they are read from the disk.
INSERT INTO served.phrase (archive_id, build_id, phrase, kind, fragment_id, document_frequency)
SELECT DISTINCT f.archive_id, f.build_id, t.phrase, 'title', f.fragment_id, 0
  FROM served.fragment f JOIN staged_title t ON t.entity_id = f.entity_id
 WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s
 ORDER BY f.fragment_id;

-- name: serve_theme_phrases
-- A fragment's themes, else its entity's. Frequencies come from public rows alone: nothing private shifts a public reply.
-- Lists are taken apart before they are joined: else the themes of the archive are read once a fragment.
WITH own AS MATERIALIZED (
    SELECT f.fragment_id, f.entity_id, f.raw, unnest(CASE WHEN f.themes = '{}' THEN e.themes ELSE f.themes END) AS theme
      FROM served.fragment f
      JOIN served.entity e ON e.archive_id = f.archive_id AND e.build_id = f.build_id AND e.entity_id = f.entity_id
     WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s),
themed AS MATERIALIZED (
    SELECT DISTINCT own.fragment_id, own.entity_id, own.raw, t.phrase FROM own JOIN staged_theme t ON t.theme = own.theme),
common AS (
    SELECT phrase, count(DISTINCT entity_id) AS entities FROM themed WHERE raw = 'public' GROUP BY phrase)
INSERT INTO served.phrase (archive_id, build_id, phrase, kind, fragment_id, document_frequency)
SELECT (SELECT api.scope()), %(build_id)s, themed.phrase, 'theme', themed.fragment_id, coalesce(common.entities, 0)
  FROM themed LEFT JOIN common ON common.phrase = themed.phrase
 ORDER BY themed.fragment_id;

-- name: serve_creators
WITH creator AS MATERIALIZED (
    SELECT e.entity_id, person ->> 'name' AS name
      FROM served.entity e
     CROSS JOIN LATERAL jsonb_array_elements(e.attribution) AS person
     WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s AND NOT person ? 'placeholder')
INSERT INTO served.name (archive_id, build_id, kind, name, unspaced, fragment_id)
SELECT DISTINCT f.archive_id, f.build_id, 'creator', n.normalised, n.unspaced, f.fragment_id
  FROM served.fragment f
  JOIN creator c ON c.entity_id = f.entity_id
  JOIN staged_name n ON n.name = c.name
 WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s
 ORDER BY f.fragment_id;

-- name: serve_speakers
WITH speaker AS MATERIALIZED (
    SELECT f.fragment_id, person ->> 'name' AS name
      FROM served.fragment f
     CROSS JOIN LATERAL jsonb_array_elements(f.attribution) AS person
     WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND NOT person ? 'placeholder')
INSERT INTO served.name (archive_id, build_id, kind, name, unspaced, fragment_id)
SELECT DISTINCT (SELECT api.scope()), %(build_id)s, 'speaker', n.normalised, n.unspaced, s.fragment_id
  FROM speaker s JOIN staged_name n ON n.name = s.name
 ORDER BY s.fragment_id;

-- name: count_build
-- Counts and phrase lengths are read with the build, once a request.
UPDATE served.build b
   SET fingerprint = %(fingerprint)s, narrowing = %(narrowing)s, built_at = now(),
       (entity_count, public_entity_count) = (
           SELECT count(*), count(*) FILTER (WHERE e.raw = 'public') FROM served.entity e WHERE e.archive_id = b.archive_id AND e.build_id = b.build_id),
       fragment_count = (SELECT count(*) FROM served.fragment f WHERE f.archive_id = b.archive_id AND f.build_id = b.build_id),
       text_count = (SELECT count(*) FROM served.word_list w WHERE w.archive_id = b.archive_id AND w.build_id = b.build_id),
       (phrase_word_lengths, phrase_char_lengths) = (
           SELECT coalesce(array_agg(DISTINCT array_length(string_to_array(p.phrase, ' '), 1)), '{}'),
                  coalesce(array_agg(DISTINCT length(p.phrase)), '{}')
             FROM (SELECT DISTINCT phrase FROM served.phrase WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s) AS p)
 WHERE b.archive_id = (SELECT api.scope()) AND b.build_id = %(build_id)s;

-- name: known_ids
-- Whatever a suite may name, withheld fragments included: a case may forbid them.
SELECT entity_id AS id FROM private.entity WHERE archive_id = (SELECT api.scope())
UNION ALL
SELECT fragment_id FROM private.fragment WHERE archive_id = (SELECT api.scope());

-- name: builds
SELECT b.build_id, b.state, l.build_id IS NOT NULL AS live, b.built_at, b.entity_count, b.fragment_count, b.fingerprint
  FROM served.build b
  LEFT JOIN served.live l ON l.archive_id = b.archive_id AND l.build_id = b.build_id
 WHERE b.archive_id = (SELECT api.scope())
 ORDER BY b.build_id DESC;

-- name: served_problems
-- What no constraint of a single row can see. Ids and rules, no words.
SELECT 'build ' || b.build_id || ': counts differ from its rows' AS problem
  FROM served.build b
 WHERE b.archive_id = (SELECT api.scope()) AND b.build_id = %(build_id)s
   AND (b.entity_count, b.fragment_count, b.fragment_count) IS DISTINCT FROM (
        (SELECT count(*)::integer FROM served.entity e WHERE e.archive_id = b.archive_id AND e.build_id = b.build_id),
        (SELECT count(*)::integer FROM served.fragment f WHERE f.archive_id = b.archive_id AND f.build_id = b.build_id),
        (SELECT count(*)::integer FROM served.embedding v WHERE v.archive_id = b.archive_id AND v.build_id = b.build_id))
UNION ALL
SELECT 'build ' || %(build_id)s::text || ': its postings are not those of its words'
 WHERE (SELECT coalesce(sum(cardinality(p.held)), 0) FROM served.posting p WHERE p.archive_id = (SELECT api.scope()) AND p.build_id = %(build_id)s)
       <> (SELECT coalesce(sum(cardinality(w.words)), 0) FROM served.word_list w WHERE w.archive_id = (SELECT api.scope()) AND w.build_id = %(build_id)s)
UNION ALL
SELECT e.entity_id || ': no fragment is served'
  FROM served.entity e
 WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s
   AND NOT EXISTS (SELECT FROM served.fragment f WHERE f.archive_id = e.archive_id AND f.build_id = e.build_id AND f.entity_id = e.entity_id)
 LIMIT 50;

-- name: second_lint
-- The second line: a run of a private text in what is served of its entity. Python's lint is the authority.
-- Runs are joined with runs, so that the cost follows the text: looking for each run in a whole book costs
-- gists times pages. Only the texts of which something long enough is shown are read.
WITH shown AS MATERIALIZED (
    SELECT f.entity_id, f.fragment_id || ': ' || s.field AS place,
           string_to_array(trim(regexp_replace(lower(normalize(s.said, NFKC)), '[^[:alnum:]]+', ' ', 'g')), ' ') AS said
      FROM served.fragment f
     CROSS JOIN LATERAL (VALUES ('gist', f.gist), ('label', f.label)) AS s (field, said)
     WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND f.raw = 'private' AND s.said IS NOT NULL),
tested AS MATERIALIZED (
    SELECT shown.entity_id, shown.place, p.ngram_words AS size, array_to_string(shown.said[first : first + p.ngram_words - 1], ' ') AS run
      FROM shown
      JOIN private.entity p ON p.archive_id = (SELECT api.scope()) AND p.entity_id = shown.entity_id
     CROSS JOIN LATERAL generate_series(1, cardinality(shown.said) - p.ngram_words + 1) AS first),
asked AS MATERIALIZED (
    SELECT entity_id, size, row_number() OVER (ORDER BY entity_id) AS entity FROM (SELECT DISTINCT entity_id, size FROM tested) AS t),
parts AS MATERIALIZED (  -- numbered in the order in which they are read as one text: numbers sort sooner than ids
    SELECT asked.entity, asked.size, f.text, row_number() OVER (ORDER BY asked.entity, f.fragment_id COLLATE "C") AS part
      FROM asked
      JOIN private.fragment f ON f.archive_id = (SELECT api.scope()) AND f.entity_id = asked.entity_id),
words AS MATERIALIZED (
    SELECT parts.entity, parts.size, parts.part, w.position, w.word
      FROM parts
     CROSS JOIN LATERAL string_to_table(trim(regexp_replace(lower(normalize(parts.text, NFKC)), '[^[:alnum:]]+', ' ', 'g')), ' ')
                        WITH ORDINALITY AS w (word, position)),
own AS (
    SELECT runs.entity, runs.run
      FROM (SELECT DISTINCT size FROM asked) AS sizes
     CROSS JOIN LATERAL (
           SELECT w.entity, string_agg(w.word, ' ') OVER (PARTITION BY w.entity ORDER BY w.part, w.position
                                                          ROWS BETWEEN CURRENT ROW AND sizes.size - 1 FOLLOWING) AS run
             FROM words w WHERE w.size = sizes.size) AS runs)
SELECT DISTINCT tested.place || ' quotes private text'
  FROM tested
  JOIN asked ON asked.entity_id = tested.entity_id
  JOIN own ON own.entity = asked.entity AND own.run = tested.run
 LIMIT 50;

-- name: swept_strings
-- Every gist, and every string a private entity shows, its ids and address among them: what a canary must not be
-- found in.
SELECT f.fragment_id AS owner_id, f.entity_id, 'gist' AS kind, f.gist AS text
  FROM served.fragment f
 WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND f.gist IS NOT NULL
UNION ALL
SELECT e.entity_id, e.entity_id, s.kind, s.said
  FROM served.entity e
 CROSS JOIN LATERAL (
        SELECT 'title', e.title UNION ALL SELECT 'version', e.version
        UNION ALL SELECT 'id', e.entity_id UNION ALL SELECT 'id', e.parent
        UNION ALL SELECT 'url', e.url UNION ALL SELECT 'type', e.type
        UNION ALL SELECT 'theme', unnest(e.themes)
        UNION ALL SELECT 'identifier', item ->> part
                    FROM jsonb_array_elements(e.identifiers) AS item CROSS JOIN unnest('{scheme,value}'::text[]) AS part
        UNION ALL SELECT said.kind, said.text FROM jsonb_array_elements(e.attribution) AS person
                   CROSS JOIN LATERAL (
                         SELECT 'name', person ->> 'name' UNION ALL SELECT 'name', person ->> 'role'
                         UNION ALL SELECT 'identifier', item ->> 'value'
                                     FROM jsonb_array_elements(person -> 'identifiers') AS item) AS said (kind, text)
       ) AS s (kind, said)
 WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s AND e.raw = 'private' AND s.said IS NOT NULL
UNION ALL
SELECT f.fragment_id, f.entity_id, s.kind, s.said
  FROM served.fragment f
 CROSS JOIN LATERAL (
        SELECT 'label', f.label UNION ALL SELECT 'id', f.fragment_id
        UNION ALL SELECT 'theme', unnest(f.themes)
        UNION ALL SELECT 'locator', step ->> part
                    FROM jsonb_array_elements(f.place) AS step CROSS JOIN unnest('{scheme,value,end}'::text[]) AS part
        UNION ALL SELECT said.kind, said.text FROM jsonb_array_elements(f.attribution) AS person
                   CROSS JOIN LATERAL (
                         SELECT 'name', person ->> 'name' UNION ALL SELECT 'name', person ->> 'role'
                         UNION ALL SELECT 'identifier', item ->> 'value'
                                     FROM jsonb_array_elements(person -> 'identifiers') AS item) AS said (kind, text)
       ) AS s (kind, said)
 WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND f.raw = 'private' AND s.said IS NOT NULL
 ORDER BY 2, 1, 3;

-- name: mark_build
UPDATE served.build SET state = %(state)s WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s;

-- name: catch_up
SELECT api.catch_up_narrowing(%(build_id)s);

-- name: retire_live
UPDATE served.build b SET state = 'retired'
  FROM served.live l
 WHERE l.archive_id = (SELECT api.scope()) AND b.archive_id = l.archive_id AND b.build_id = l.build_id AND b.build_id <> %(build_id)s;

-- name: point
INSERT INTO served.live (archive_id, build_id)
SELECT archive_id, build_id FROM served.build
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s AND state IN ('checked', 'retired')
ON CONFLICT (archive_id) DO UPDATE SET build_id = EXCLUDED.build_id
RETURNING build_id;

-- name: drop_unfinished
-- What a run that was killed left behind: nobody reads it, and what was withdrawn since is in it still.
DELETE FROM served.build
 WHERE archive_id = (SELECT api.scope()) AND state IN ('building', 'checked', 'abandoned') AND build_id <> %(besides)s
   AND build_id NOT IN (SELECT build_id FROM served.live WHERE archive_id = (SELECT api.scope()));

-- name: prune
-- The live build and the youngest others stay, up to the number kept.
DELETE FROM served.build
 WHERE archive_id = (SELECT api.scope())
   AND build_id NOT IN (SELECT build_id FROM served.live WHERE archive_id = (SELECT api.scope()))
   AND (state IN ('abandoned', 'building', 'checked') OR build_id NOT IN (
        SELECT b.build_id FROM served.build b
         WHERE b.archive_id = (SELECT api.scope()) AND b.state = 'retired'
           AND b.build_id NOT IN (SELECT l.build_id FROM served.live l WHERE l.archive_id = (SELECT api.scope()))
         ORDER BY b.build_id DESC LIMIT %(keep)s - 1));

-- name: abandon
UPDATE served.build SET state = 'abandoned'
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(left)s AND state = 'retired';

-- name: previous
SELECT b.build_id, l.build_id AS left FROM served.build b JOIN served.live l ON l.archive_id = b.archive_id AND b.build_id < l.build_id
 WHERE b.archive_id = (SELECT api.scope()) AND b.state = 'retired'
 ORDER BY b.build_id DESC LIMIT 1;
