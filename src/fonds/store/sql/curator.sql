-- name: entities_of
-- The entities that hold any of these fragments.
SELECT e.entity_id, e.raw, e.exposure, e.type, e.title, e.url, e.attribution, e.date, e.version,
       e.identifiers, e.parent, e.themes, e.require_review, e.public_title, e.ngram_words,
       e.ngram_chars, e.gist_max_chars
  FROM private.entity e
 WHERE e.archive_id = (SELECT api.scope())
   AND e.entity_id IN (SELECT f.entity_id FROM private.fragment f
                        WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = ANY (%(fragment_ids)s))
 ORDER BY e.entity_id COLLATE "C";

-- name: fragment_held
-- One fragment with its projection, as a build reads it, and an imprint of its entity: another one for another entity
-- or other texts of it, by what they hold, since a hash beside a text is only said of it.
SELECT f.entity_id, f.fragment_id, f.raw, f.exposure, f.place, f.text, f.attribution, f.date, f.summary, f.themes,
       f.trail, f.source_review, f.text_hash,
       p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash, p.model, p.prompt_version,
       p.generated_at::text AS generated_at,
       md5(e::text || (SELECT string_agg(o.fragment_id || ' ' || md5(o.text), ',' ORDER BY o.fragment_id)
                         FROM private.fragment o
                        WHERE o.archive_id = e.archive_id AND o.entity_id = e.entity_id)) AS imprint
  FROM private.fragment f
  JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
  LEFT JOIN private.projection p ON p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id
 WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = %(fragment_id)s;

-- name: plan_for_listing
-- Under row security the planner takes an archive for a handful of rows and would join them one by one.
SET LOCAL enable_nestloop = off;

-- name: held_gists
-- Fragments that ask to be described or hold a gist from when they did, without their text.
SELECT f.fragment_id, f.exposure, e.require_review,
       p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash, p.model, p.prompt_version,
       p.generated_at::text AS generated_at
  FROM private.fragment f
  JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
  LEFT JOIN private.projection p ON p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id
 WHERE f.archive_id = (SELECT api.scope())
   AND (f.exposure = 'semantic' OR p.fragment_id IS NOT NULL)
   AND (%(fragment_ids)s::text[] IS NULL OR f.fragment_id = ANY (%(fragment_ids)s::text[]))
 ORDER BY f.fragment_id COLLATE "C";

-- name: plan_for_piles
-- A page reads the few rows it shows: from the index on, whatever statistics say of an archive.
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashagg', 'off', true);

-- name: gists_after
-- The next of a pile. Each branch reads no further than its limit; a plan keeps the one that is asked for. A
-- projection whose fragment is gone is kept for its veto, and is in no pile.
-- Ordered by the pile as well, and never equal to one: else a planner that takes all gists for those of one pile
-- would read through the others.
SELECT fragment_id
  FROM ((SELECT p.fragment_id
           FROM private.projection p
          WHERE p.archive_id = (SELECT api.scope())
            AND (p.pile, p.fragment_id) > (%(pile)s::text, %(after)s::text) AND p.pile <= %(pile)s::text
            AND EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
          ORDER BY p.pile, p.fragment_id LIMIT %(most)s)
        UNION ALL
        (SELECT f.fragment_id
           FROM private.fragment f
          WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id > %(after)s::text
            AND f.exposure = 'semantic' AND %(pile)s::text = 'missing'
            AND NOT EXISTS (SELECT FROM private.projection p WHERE p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id)
          ORDER BY f.fragment_id LIMIT %(most)s)
        UNION
        (SELECT f.fragment_id
           FROM private.fragment f
          WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id > %(after)s::text
            AND f.exposure = 'semantic' AND %(pile)s::text = 'all'
          ORDER BY f.fragment_id LIMIT %(most)s)
        UNION
        (SELECT p.fragment_id
           FROM private.projection p
          WHERE p.archive_id = (SELECT api.scope()) AND p.fragment_id > %(after)s::text
            AND %(pile)s::text = 'all'
            AND EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
          ORDER BY p.fragment_id LIMIT %(most)s)) AS piled
 ORDER BY fragment_id
 LIMIT %(most)s;

-- name: gist_before
-- The one before in a pile; as `gists_after`.
SELECT fragment_id
  FROM ((SELECT p.fragment_id
           FROM private.projection p
          WHERE p.archive_id = (SELECT api.scope())
            AND (p.pile, p.fragment_id) < (%(pile)s::text, %(before)s::text) AND p.pile >= %(pile)s::text
            AND EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
          ORDER BY p.pile DESC, p.fragment_id DESC LIMIT 1)
        UNION ALL
        (SELECT f.fragment_id
           FROM private.fragment f
          WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id < %(before)s::text
            AND f.exposure = 'semantic' AND %(pile)s::text = 'missing'
            AND NOT EXISTS (SELECT FROM private.projection p WHERE p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id)
          ORDER BY f.fragment_id DESC LIMIT 1)
        UNION ALL
        (SELECT f.fragment_id
           FROM private.fragment f
          WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id < %(before)s::text
            AND f.exposure = 'semantic' AND %(pile)s::text = 'all'
          ORDER BY f.fragment_id DESC LIMIT 1)
        UNION ALL
        (SELECT p.fragment_id
           FROM private.projection p
          WHERE p.archive_id = (SELECT api.scope()) AND p.fragment_id < %(before)s::text
            AND %(pile)s::text = 'all'
            AND EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
          ORDER BY p.fragment_id DESC LIMIT 1)) AS piled
 ORDER BY fragment_id DESC
 LIMIT 1;

-- name: pile_counts
-- Counted to a bound. What lacks a gist is found by asking of every fragment: where all are few.
WITH asking AS MATERIALIZED (
    SELECT f.fragment_id FROM private.fragment f
     WHERE f.archive_id = (SELECT api.scope()) AND f.exposure = 'semantic'
     ORDER BY f.fragment_id LIMIT %(most)s),
held AS MATERIALIZED (
    SELECT p.fragment_id, p.pile FROM private.projection p
     WHERE p.archive_id = (SELECT api.scope())
       AND EXISTS (SELECT FROM private.fragment f WHERE f.archive_id = p.archive_id AND f.fragment_id = p.fragment_id)
     ORDER BY p.fragment_id LIMIT %(most)s)
SELECT named.pile,
       (SELECT count(*)
          FROM (SELECT p.fragment_id FROM private.projection p
                 WHERE p.archive_id = (SELECT api.scope()) AND p.pile BETWEEN named.pile AND named.pile
                 ORDER BY p.pile, p.fragment_id LIMIT %(most)s) AS counted
         WHERE EXISTS (SELECT FROM private.fragment f
                        WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = counted.fragment_id)) AS gists
  FROM unnest(ARRAY['unreviewed', 'stale', 'failed', 'vetoed', 'reviewed']) AS named (pile)
UNION ALL
SELECT 'all', least(%(most)s, (SELECT count(*) FROM (SELECT fragment_id FROM asking UNION SELECT fragment_id FROM held) AS every))
UNION ALL
SELECT 'missing', CASE WHEN (SELECT count(*) FROM asking) < %(most)s AND (SELECT count(*) FROM held) < %(most)s
                       THEN (SELECT count(*) FROM asking WHERE fragment_id NOT IN (SELECT fragment_id FROM held))
                            + (SELECT count(*) FROM held WHERE pile = 'missing') END;

-- name: entity_served
-- An entity is served for any fragment that is not withheld.
SELECT FROM private.fragment
 WHERE archive_id = (SELECT api.scope()) AND entity_id = %(entity_id)s AND exposure <> 'none' LIMIT 1;

-- name: hold_gist
-- Nobody else changes it until this transaction ends.
SELECT FROM private.projection WHERE archive_id = (SELECT api.scope()) AND fragment_id = %(fragment_id)s FOR UPDATE;

-- name: gist_as_it_stands
-- All that an imprint is made of.
SELECT f.fragment_id, f.text_hash, f.exposure,
       p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash, p.model, p.prompt_version,
       p.generated_at::text AS generated_at
  FROM private.fragment f
  LEFT JOIN private.projection p ON p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id
 WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = %(fragment_id)s;

-- name: note_action
-- Who did what to which fragment: ids, no words (R192).
INSERT INTO private.audit (archive_id, action, subject) VALUES ((SELECT api.scope()), %(action)s, %(subject)s);

-- name: write_projection
-- What did not change writes no row. A row that is there is updated as the author says; one that comes back is
-- vetoed when it was (private.keep_veto), which an INSERT with ON CONFLICT would ask of every row.
-- The text may have moved since the words were linted: a hash that is not of the text as it stands is stale.
-- It may be gone: words about a text that was erased are not stored.
-- A draft took its time: it replaces no words of the author, and lifts no veto, that came meanwhile.
MERGE INTO private.projection AS p
USING (SELECT n.*, n.given_stale OR f.text_hash <> n.content_hash AS stale
         FROM (SELECT %(fragment_id)s::text AS fragment_id, %(source)s::text AS source, %(review)s::text AS review,
                      %(vetoed)s::boolean AS vetoed, %(stale)s::boolean AS given_stale, %(lint)s::text AS lint,
                      %(gist)s::text AS gist, %(draft)s::text AS draft, %(content_hash)s::text AS content_hash,
                      %(model)s::text AS model, %(prompt_version)s::text AS prompt_version,
                      %(generated_at)s::timestamptz AS generated_at, %(drafted)s::boolean AS drafted) AS n
         JOIN private.fragment f ON f.archive_id = (SELECT api.scope()) AND f.fragment_id = n.fragment_id) AS n
   ON p.archive_id = (SELECT api.scope()) AND p.fragment_id = n.fragment_id
 WHEN MATCHED AND n.drafted AND p.source = 'edited' AND p.draft IS DISTINCT FROM '' THEN DO NOTHING
 WHEN MATCHED AND (p.source, p.review, p.stale, p.lint, p.gist, p.draft, p.content_hash, p.model, p.prompt_version)
      IS DISTINCT FROM (n.source, n.review, n.stale, n.lint, n.gist, n.draft, n.content_hash, n.model, n.prompt_version)
      OR (NOT n.drafted AND p.vetoed <> n.vetoed) THEN
      UPDATE SET source = n.source, review = n.review, vetoed = CASE WHEN n.drafted THEN p.vetoed ELSE n.vetoed END,
                 stale = n.stale, lint = n.lint, gist = n.gist, draft = n.draft, content_hash = n.content_hash,
                 model = n.model, prompt_version = n.prompt_version, generated_at = n.generated_at
 WHEN NOT MATCHED THEN
      INSERT (archive_id, fragment_id, source, review, vetoed, stale, lint, gist, draft, content_hash, model,
              prompt_version, generated_at)
      VALUES ((SELECT api.scope()), n.fragment_id, n.source, n.review, n.vetoed, n.stale, n.lint, n.gist, n.draft,
              n.content_hash, n.model, n.prompt_version, n.generated_at);
