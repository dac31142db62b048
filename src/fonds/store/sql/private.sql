-- name: plan_for_many
-- Under row security the planner takes an archive for a handful of rows and joins them one by one:
-- 0.7 s for 2,000 fragments, and the square of that for more. Every join here is of whole batches.
SET LOCAL enable_nestloop = off;

-- name: sources
-- What the private schema remembers of each file; ingest skips those that did not move.
SELECT s.source_key, s.raw, s.file_hash, s.settings_hash, s.fragment_count,
       coalesce(array_agg(e.entity_id ORDER BY e.entity_id) FILTER (WHERE e.entity_id IS NOT NULL), '{}') AS entity_ids
  FROM private.source s
  LEFT JOIN private.entity e ON e.archive_id = s.archive_id AND e.source_key = s.source_key
 WHERE s.archive_id = (SELECT api.scope())
 GROUP BY s.archive_id, s.source_key
 ORDER BY s.source_key;

-- name: sources_lacking_vectors
-- Files with a fragment that has no vector of this space for the text it holds.
SELECT DISTINCT e.source_key
  FROM private.fragment f
  JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
  LEFT JOIN private.embedding v
    ON v.archive_id = f.archive_id AND v.fragment_id = f.fragment_id AND v.space_id = %(space_id)s
 WHERE f.archive_id = (SELECT api.scope()) AND v.embed_hash IS DISTINCT FROM f.embed_hash;

-- name: current_vectors
-- Which text each of these fragments has a vector for, in this space.
SELECT fragment_id, embed_hash
  FROM private.embedding
 WHERE archive_id = (SELECT api.scope()) AND space_id = %(space_id)s
   AND fragment_id = ANY (%(fragment_ids)s);

-- name: once_private
-- Files whose entity or text was private: the owner has to say that it is meant to be public (R191).
SELECT asked.source_key
  FROM unnest(%(source_keys)s::text[], %(entity_ids)s::text[], %(hash_lists)s::text[])
       AS asked(source_key, entity_id, hash_list)
 WHERE api.was_private(asked.entity_id, string_to_array(asked.hash_list, ','));

-- name: forget_private
-- The owner said so.
SELECT api.forget_private(%(entity_id)s, %(text_hashes)s);

-- name: lock_archive
-- Writers of one archive stand in line; narrowing and a build's switch take the same row.
SELECT archive_id FROM private.archive WHERE archive_id = (SELECT api.scope()) FOR NO KEY UPDATE;

-- name: stage_sources
-- Rows arrive by COPY here and are merged below: COPY is refused on tables with row security, and an
-- upsert would need to read the bodies that this role cannot read.
CREATE TEMPORARY TABLE staged_source (
    source_key text, raw text, file_hash text, settings_hash text, fragment_count integer
) ON COMMIT DROP;

-- name: stage_entities
CREATE TEMPORARY TABLE staged_entity (
    entity_id text, source_key text, raw text, exposure text, type text, title text, url text,
    attribution jsonb, date text, date_start date, date_end date, version text, identifiers jsonb,
    parent text, themes text[], require_review boolean, public_title boolean,
    ngram_words integer, ngram_chars integer, gist_max_chars integer, row_hash text
) ON COMMIT DROP;

-- name: stage_fragments
CREATE TEMPORARY TABLE staged_fragment (
    fragment_id text, entity_id text, raw text, exposure text, place jsonb, label text,
    text text, attribution jsonb, date text, date_start date, date_end date, summary text, themes text[],
    trail text[], source_review text, text_hash text, embed_hash text, words text[], weights smallint[], row_hash text
) ON COMMIT DROP;

-- name: stage_vectors
CREATE TEMPORARY TABLE staged_vector (
    fragment_id text, embed_hash text, embedding ext.halfvec
) ON COMMIT DROP;

-- name: copy_sources
COPY staged_source FROM STDIN (FORMAT BINARY);

-- name: copy_entities
COPY staged_entity FROM STDIN (FORMAT BINARY);

-- name: copy_fragments
COPY staged_fragment FROM STDIN (FORMAT BINARY);

-- name: copy_vectors
COPY staged_vector FROM STDIN (FORMAT BINARY);

-- name: note_vanished
-- Fragments of the written files that are no longer in them. What is gone or turned from one layer
-- to the other is deleted and not updated, so that it leaves every kept build. Arrays, since they go
-- to an index whatever the planner thinks of a temporary table: the cost follows the batch.
CREATE TEMPORARY TABLE vanished ON COMMIT DROP AS
SELECT f.fragment_id
  FROM private.fragment f
 WHERE f.archive_id = (SELECT api.scope())
   AND f.entity_id = ANY (ARRAY(
           SELECT entity_id FROM staged_entity
            UNION
           SELECT e.entity_id FROM private.entity e
            WHERE e.archive_id = (SELECT api.scope())
              AND e.source_key = ANY (ARRAY(SELECT source_key FROM staged_source))))
   AND NOT EXISTS (SELECT FROM staged_fragment s WHERE s.fragment_id = f.fragment_id AND s.raw = f.raw);

-- name: merge_sources
MERGE INTO private.source AS t
USING staged_source AS s ON t.archive_id = (SELECT api.scope()) AND t.source_key = s.source_key
  AND t.source_key = ANY (ARRAY(SELECT source_key FROM staged_source))
 WHEN MATCHED AND (t.raw, t.file_hash, t.settings_hash, t.fragment_count)
                  IS DISTINCT FROM (s.raw, s.file_hash, s.settings_hash, s.fragment_count) THEN
      UPDATE SET raw = s.raw, file_hash = s.file_hash, settings_hash = s.settings_hash, fragment_count = s.fragment_count
 WHEN NOT MATCHED THEN
      INSERT (archive_id, source_key, raw, file_hash, settings_hash, fragment_count)
      VALUES ((SELECT api.scope()), s.source_key, s.raw, s.file_hash, s.settings_hash, s.fragment_count);

-- name: delete_vanished_entities
-- Entities the written files no longer describe, and those that change their layer: fragments of one
-- layer cannot hang on an entity of the other.
DELETE FROM private.entity
 WHERE archive_id = (SELECT api.scope())
   AND entity_id = ANY (ARRAY(
           SELECT e.entity_id FROM private.entity e
            WHERE e.archive_id = (SELECT api.scope())
              AND e.source_key = ANY (ARRAY(SELECT source_key FROM staged_source))
              AND NOT EXISTS (SELECT FROM staged_entity s WHERE s.entity_id = e.entity_id)
            UNION
           SELECT e.entity_id FROM private.entity e JOIN staged_entity s ON s.entity_id = e.entity_id
            WHERE e.archive_id = (SELECT api.scope()) AND s.raw <> e.raw));

-- name: merge_entities
MERGE INTO private.entity AS t
USING staged_entity AS s ON t.archive_id = (SELECT api.scope()) AND t.entity_id = s.entity_id
  AND t.entity_id = ANY (ARRAY(SELECT entity_id FROM staged_entity))
 WHEN MATCHED AND t.row_hash IS DISTINCT FROM s.row_hash THEN
      UPDATE SET source_key = s.source_key, exposure = s.exposure, type = s.type, title = s.title, url = s.url,
                 attribution = s.attribution, date = s.date, date_start = s.date_start, date_end = s.date_end,
                 version = s.version, identifiers = s.identifiers, parent = s.parent, themes = s.themes,
                 require_review = s.require_review, public_title = s.public_title, ngram_words = s.ngram_words,
                 ngram_chars = s.ngram_chars, gist_max_chars = s.gist_max_chars, row_hash = s.row_hash
 WHEN NOT MATCHED THEN
      INSERT (archive_id, entity_id, source_key, raw, exposure, type, title, url, attribution, date, date_start, date_end,
              version, identifiers, parent, themes, require_review, public_title, ngram_words, ngram_chars,
              gist_max_chars, row_hash)
      VALUES ((SELECT api.scope()), s.entity_id, s.source_key, s.raw, s.exposure, s.type, s.title, s.url, s.attribution,
              s.date, s.date_start, s.date_end, s.version, s.identifiers, s.parent, s.themes, s.require_review,
              s.public_title, s.ngram_words, s.ngram_chars, s.gist_max_chars, s.row_hash);

-- name: delete_vanished_fragments
DELETE FROM private.fragment f
 USING vanished v
 WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = v.fragment_id;

-- name: merge_fragments
MERGE INTO private.fragment AS t
USING staged_fragment AS s ON t.archive_id = (SELECT api.scope()) AND t.fragment_id = s.fragment_id
  AND t.fragment_id = ANY (ARRAY(SELECT fragment_id FROM staged_fragment))
 WHEN MATCHED AND t.row_hash IS DISTINCT FROM s.row_hash THEN
      UPDATE SET exposure = s.exposure, place = s.place, label = s.label, text = s.text, attribution = s.attribution,
                 date = s.date, date_start = s.date_start, date_end = s.date_end, summary = s.summary, themes = s.themes,
                 trail = s.trail, source_review = s.source_review, text_hash = s.text_hash, embed_hash = s.embed_hash,
                 words = s.words, weights = s.weights, row_hash = s.row_hash
 WHEN NOT MATCHED THEN
      INSERT (archive_id, fragment_id, entity_id, raw, exposure, place, label, text, attribution, date, date_start, date_end,
              summary, themes, trail, source_review, text_hash, embed_hash, words, weights, row_hash)
      VALUES ((SELECT api.scope()), s.fragment_id, s.entity_id, s.raw, s.exposure, s.place, s.label, s.text, s.attribution,
              s.date, s.date_start, s.date_end, s.summary, s.themes, s.trail, s.source_review, s.text_hash,
              s.embed_hash, s.words, s.weights, s.row_hash);

-- name: erase_gists
-- Of fragments that are gone: words are erased, vetoes stay (R191).
SELECT api.erase_gists(ARRAY(SELECT fragment_id FROM vanished));

-- name: note_vanished_of_sources
CREATE TEMPORARY TABLE vanished ON COMMIT DROP AS
SELECT f.fragment_id
  FROM private.fragment f
  JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
 WHERE f.archive_id = (SELECT api.scope()) AND e.source_key = ANY (%(source_keys)s);

-- name: count_vanished
SELECT count(*) FROM vanished;

-- name: delete_entities_of_sources
DELETE FROM private.entity WHERE archive_id = (SELECT api.scope()) AND source_key = ANY (%(source_keys)s);

-- name: delete_sources
DELETE FROM private.source WHERE archive_id = (SELECT api.scope()) AND source_key = ANY (%(source_keys)s);

-- name: withdraw_fragments
-- Asking for nothing takes a fragment out of every kept build at once, and keeps it out of the next:
-- the file cannot say what may travel. The row hash goes, so that the mended file is written again.
UPDATE private.fragment f
   SET exposure = 'none', row_hash = ''
  FROM private.entity e
 WHERE f.archive_id = (SELECT api.scope()) AND e.archive_id = f.archive_id AND e.entity_id = f.entity_id
   AND e.source_key = ANY (%(source_keys)s) AND f.file_exposure <> 'none';

-- name: forget_source_hashes
-- A file mended to what it was before must not pass for unchanged.
UPDATE private.source SET file_hash = '', settings_hash = ''
 WHERE archive_id = (SELECT api.scope()) AND source_key = ANY (%(source_keys)s) AND file_hash <> '';

-- name: note_withdrawal
INSERT INTO private.audit (archive_id, action, subject)
SELECT (SELECT api.scope()), 'withdraw', withdrawn FROM unnest(%(source_keys)s::text[]) AS withdrawn;

-- name: merge_vectors
-- A vector counts only for the text its fragment holds at this moment.
MERGE INTO private.embedding AS t
USING (SELECT v.fragment_id, v.embed_hash, v.embedding
         FROM staged_vector v
         JOIN private.fragment f ON f.archive_id = (SELECT api.scope()) AND f.fragment_id = v.fragment_id
                                AND f.fragment_id = ANY (ARRAY(SELECT fragment_id FROM staged_vector))
                                AND f.embed_hash = v.embed_hash) AS s
   ON t.archive_id = (SELECT api.scope()) AND t.fragment_id = s.fragment_id AND t.space_id = %(space_id)s
  AND t.fragment_id = ANY (ARRAY(SELECT fragment_id FROM staged_vector))
 WHEN MATCHED AND t.embed_hash IS DISTINCT FROM s.embed_hash THEN
      UPDATE SET embed_hash = s.embed_hash, embedding = s.embedding, dimensions = %(dimensions)s
 WHEN NOT MATCHED THEN
      INSERT (archive_id, fragment_id, space_id, embed_hash, dimensions, embedding)
      VALUES ((SELECT api.scope()), s.fragment_id, %(space_id)s, s.embed_hash, %(dimensions)s, s.embedding);

-- name: waiting_for_drafts
-- Fragments that ask to be described and have no gist, or one drafted for another text, by another model or prompt.
-- What the author wrote waits for the author. Counts are what ingest may know of words.
SELECT count(*)
  FROM private.fragment f
  LEFT JOIN private.projection p ON p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id
 WHERE f.archive_id = (SELECT api.scope()) AND f.exposure = 'semantic'
   AND (p.fragment_id IS NULL
        OR (p.source = 'generated'
            AND (p.stale OR (%(model)s::text IS NOT NULL
                             AND (p.model, p.prompt_version) IS DISTINCT FROM (%(model)s::text, %(prompt_version)s::text)))));
