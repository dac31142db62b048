-- name: archive_counts
-- How much is stored of each layer, with its fragments by what they ask for. Counted apart: joined, an archive of
-- 200,000 fragments is sorted by entity first.
WITH asked AS (
    SELECT raw, exposure, count(*) AS fragments FROM private.fragment WHERE archive_id = (SELECT api.scope()) GROUP BY raw, exposure),
held AS (
    SELECT raw, count(*) AS entities FROM private.entity WHERE archive_id = (SELECT api.scope()) GROUP BY raw)
SELECT held.raw, held.entities, sum(asked.fragments)::bigint AS fragments, jsonb_object_agg(asked.exposure, asked.fragments) AS asks
  FROM held JOIN asked ON asked.raw = held.raw
 GROUP BY held.raw, held.entities
 ORDER BY held.raw DESC;

-- name: gist_states
-- Of what asks to be described: the reason a build would give for only locating it, by the verdicts as they are stored.
SELECT state, count(*) AS fragments
  FROM (SELECT CASE WHEN p.fragment_id IS NULL THEN 'no gist'
                    WHEN p.lint <> 'passed' THEN 'lint failed'
                    WHEN p.vetoed THEN 'vetoed'
                    WHEN p.stale THEN 'stale'
                    WHEN e.require_review AND p.review <> 'reviewed' THEN 'waits for review'
                    ELSE 'ready' END AS state
          FROM private.fragment f
          JOIN private.entity e ON e.archive_id = f.archive_id AND e.entity_id = f.entity_id
          LEFT JOIN private.projection p ON p.archive_id = f.archive_id AND p.fragment_id = f.fragment_id
         WHERE f.archive_id = (SELECT api.scope()) AND f.exposure = 'semantic') AS each
 GROUP BY state
 ORDER BY state;

-- name: awaiting_count
-- What the live build withheld until its owner accepts it.
SELECT count(*) AS fragments
  FROM private.awaiting w JOIN served.live l ON l.archive_id = w.archive_id AND l.build_id = w.build_id
 WHERE w.archive_id = (SELECT api.scope());

-- name: last_of_each_job
-- The report of a run holds ids, reasons and counts.
SELECT DISTINCT ON (job) job, outcome, finished_at, report
  FROM private.run
 WHERE archive_id = (SELECT api.scope())
 ORDER BY job, run_id DESC;

-- name: entities_page
-- The entities after an id whose id or title holds these words, each with what its fragments ask for. An archive of
-- any size is looked at a page at a time.
SELECT e.entity_id, e.raw, e.title, e.url, a.asks
  FROM (SELECT entity_id, raw, title, url
          FROM private.entity
         WHERE archive_id = (SELECT api.scope()) AND entity_id COLLATE "C" > %(after)s
           AND (%(words)s = '' OR position(lower(%(words)s COLLATE "pg_c_utf8") IN lower(entity_id || ' ' || title COLLATE "pg_c_utf8")) > 0)
         ORDER BY entity_id COLLATE "C" LIMIT %(most)s) AS e
 CROSS JOIN LATERAL (
       SELECT jsonb_object_agg(counted.exposure, counted.fragments) AS asks
         FROM (SELECT f.exposure, count(*) AS fragments FROM private.fragment f
                WHERE f.archive_id = (SELECT api.scope()) AND f.entity_id = e.entity_id GROUP BY f.exposure) AS counted) AS a
 ORDER BY e.entity_id COLLATE "C";

-- name: one_entity
SELECT e.entity_id, e.raw, e.title, e.url, '{}'::jsonb AS asks
  FROM private.entity e
 WHERE e.archive_id = (SELECT api.scope()) AND e.entity_id = %(entity_id)s;

-- name: entity_to_check
-- As a build checks it, and only where a build does.
SELECT e.entity_id, e.raw, e.exposure, e.type, e.title, e.url, e.attribution, e.date, e.version, e.identifiers,
       e.parent, e.themes, e.require_review, e.public_title, e.ngram_words, e.ngram_chars, e.gist_max_chars
  FROM private.entity e
 WHERE e.archive_id = (SELECT api.scope()) AND e.entity_id = %(entity_id)s
   AND (e.raw = 'private' OR EXISTS (
        SELECT FROM private.fragment f
         WHERE f.archive_id = e.archive_id AND f.entity_id = e.entity_id AND f.exposure = 'semantic'));

-- name: fragments_page
-- The fragments of an entity after an id, each beside what the live build shows of it and whether that withholds more.
SELECT f.fragment_id, f.exposure AS asks, f.file_exposure, f.label,
       o.raw AS live_raw, o.exposure AS live_exposure, w.fragment_id IS NOT NULL AS waits,
       v.embed_hash IS NOT DISTINCT FROM f.embed_hash AS has_vector
  FROM private.fragment f
  LEFT JOIN served.live l ON l.archive_id = (SELECT api.scope())
  LEFT JOIN served.fragment o ON o.archive_id = l.archive_id AND o.build_id = l.build_id AND o.fragment_id = f.fragment_id
  LEFT JOIN private.awaiting w ON w.archive_id = l.archive_id AND w.build_id = l.build_id AND w.fragment_id = f.fragment_id
  LEFT JOIN private.embedding v ON v.archive_id = f.archive_id AND v.fragment_id = f.fragment_id AND v.space_id = %(space_id)s
 WHERE f.archive_id = (SELECT api.scope()) AND f.entity_id = %(entity_id)s AND f.fragment_id COLLATE "C" > %(after)s
 ORDER BY f.fragment_id COLLATE "C" LIMIT %(most)s;
