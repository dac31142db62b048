-- name: changes
-- How the fragments of a build differ from those of the live one, in all that a hit carries.
-- Long texts are compared by their hash, taken before anything is joined: what is joined stays narrow. Hits are compared as
-- they are stored, and told apart field by field only where they differ.
WITH shown AS MATERIALIZED (
    SELECT f.build_id, f.fragment_id, f.raw, f.exposure, hit
      FROM (SELECT s.build_id, s.fragment_id, s.entity_id, s.raw, s.exposure, md5(s.text) AS text, md5(s.summary) AS summary, s.trail,
                   s.gist, s.gist_source, s.gist_review, s.place, s.attribution, s.date, s.themes
              FROM served.fragment s
             WHERE s.archive_id = (SELECT api.scope())
               AND (s.build_id = %(build_id)s OR s.build_id = (SELECT l.build_id FROM served.live l WHERE l.archive_id = (SELECT api.scope())))
            OFFSET 0) AS f
      JOIN served.entity e ON e.archive_id = (SELECT api.scope()) AND e.build_id = f.build_id AND e.entity_id = f.entity_id
     CROSS JOIN LATERAL (
           SELECT f.text, f.summary, f.trail, f.gist, f.gist_source AS "gistSource", f.gist_review AS "gistReview", f.place AS locator,
                  f.attribution AS speakers, f.date, f.themes, e.entity_id AS entity, e.type, e.title, e.url, e.attribution AS creators,
                  e.date AS "entityDate", e.version, e.identifiers, e.parent, e.themes AS "entityThemes") AS hit),
other AS MATERIALIZED (
    SELECT coalesce(n.fragment_id, o.fragment_id) AS fragment_id, o.raw AS was_raw, o.exposure AS was_exposure, n.raw, n.exposure,
           CASE WHEN n.fragment_id IS NOT NULL THEN to_jsonb(n.hit) END AS hit,
           CASE WHEN o.fragment_id IS NOT NULL THEN to_jsonb(o.hit) END AS was_hit
      FROM (SELECT * FROM shown WHERE build_id = %(build_id)s) AS n
      FULL JOIN (SELECT * FROM shown WHERE build_id <> %(build_id)s) AS o ON o.fragment_id = n.fragment_id
     WHERE (n.raw = o.raw AND n.exposure = o.exposure AND n.hit *= o.hit) IS NOT TRUE)
SELECT fragment_id, was_raw, was_exposure, raw, exposure,
       ARRAY(SELECT k FROM jsonb_object_keys(hit) AS k WHERE hit -> k IS DISTINCT FROM was_hit -> k AND was_hit IS NOT NULL ORDER BY k) AS fields,
       coalesce(encode(sha256(convert_to(raw || exposure || hit::text, 'UTF8')), 'hex'), '') AS content
  FROM other
 WHERE (raw, exposure, hit) IS DISTINCT FROM (was_raw, was_exposure, was_hit)
 ORDER BY fragment_id COLLATE "C";

-- name: withhold_unseen
-- What the live build does not serve of the same layer is not served.
DELETE FROM served.fragment n
 WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = %(build_id)s AND n.fragment_id = ANY (%(fragment_ids)s)
   AND NOT EXISTS (
       SELECT FROM served.fragment o JOIN served.live l ON l.archive_id = o.archive_id AND l.build_id = o.build_id
        WHERE o.archive_id = (SELECT api.scope()) AND o.fragment_id = n.fragment_id AND o.raw = n.raw);

-- name: withhold_more
-- What it does serve keeps what it says there; where less is to be said, that little is not given back.
UPDATE served.fragment n
   SET place = o.place, label = o.label, attribution = o.attribution, themes = o.themes,
       date = o.date, date_start = o.date_start, date_end = o.date_end,
       exposure = CASE WHEN o.wider THEN n.exposure ELSE o.exposure END,
       text = CASE WHEN o.wider THEN n.text ELSE o.text END,
       summary = CASE WHEN o.wider THEN n.summary ELSE o.summary END,
       trail = CASE WHEN o.wider THEN n.trail ELSE o.trail END,
       gist = CASE WHEN o.wider THEN n.gist ELSE o.gist END,
       gist_source = CASE WHEN o.wider THEN n.gist_source ELSE o.gist_source END,
       gist_review = CASE WHEN o.wider THEN n.gist_review ELSE o.gist_review END
  FROM (SELECT f.*, api.strictness(f.exposure) < api.strictness(w.exposure) AS wider
          FROM served.fragment f
          JOIN served.live l ON l.archive_id = f.archive_id AND l.build_id = f.build_id
          JOIN served.fragment w ON w.archive_id = f.archive_id AND w.build_id = %(build_id)s AND w.fragment_id = f.fragment_id
         WHERE f.archive_id = (SELECT api.scope()) AND f.fragment_id = ANY (%(fragment_ids)s)) AS o
 WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = %(build_id)s AND n.fragment_id = o.fragment_id;

-- name: withhold_titles
-- A private entity of which something waits is called what it is called there.
UPDATE served.entity n
   SET title = o.title, url = o.url, attribution = o.attribution, date = o.date, version = o.version, identifiers = o.identifiers,
       themes = o.themes
  FROM served.entity o JOIN served.live l ON l.archive_id = o.archive_id AND l.build_id = o.build_id
 WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = %(build_id)s AND n.raw = 'private'
   AND o.archive_id = n.archive_id AND o.entity_id = n.entity_id AND o.raw = n.raw
   AND n.entity_id IN (SELECT f.entity_id FROM served.fragment f
                        WHERE f.archive_id = (SELECT api.scope()) AND f.build_id = %(build_id)s AND f.fragment_id = ANY (%(fragment_ids)s));

-- name: drop_emptied
-- An entity goes with its last fragment, and what stood below it names no parent (R026).
WITH emptied AS (
    DELETE FROM served.entity e
     WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s
       AND NOT EXISTS (SELECT FROM served.fragment f
                        WHERE f.archive_id = e.archive_id AND f.build_id = e.build_id AND f.entity_id = e.entity_id)
    RETURNING e.entity_id)
UPDATE served.entity e SET parent = NULL
  FROM emptied
 WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s AND e.parent = emptied.entity_id
   AND e.entity_id NOT IN (SELECT entity_id FROM emptied);

-- name: note_waiting
INSERT INTO private.awaiting (archive_id, build_id, fragment_id, was_raw, was_exposure, raw, exposure, fields, content)
SELECT (SELECT api.scope()), %(build_id)s, id, was_raw, was_exposure, raw, exposure, string_to_array(fields, ','), content
  FROM unnest(%(fragment_ids)s::text[], %(was_raws)s::text[], %(was_exposures)s::text[], %(raws)s::text[], %(exposures)s::text[],
              %(fields)s::text[], %(contents)s::text[]) AS w (id, was_raw, was_exposure, raw, exposure, fields, content);

-- name: waiting
SELECT fragment_id, was_raw, was_exposure, raw, exposure, fields, content
  FROM private.awaiting
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s
 ORDER BY fragment_id COLLATE "C";

-- name: note_accepted
-- Who let which fragment out: ids, no words (R192).
INSERT INTO private.audit (archive_id, action, subject)
SELECT (SELECT api.scope()), 'accept', id FROM unnest(%(fragment_ids)s::text[]) AS id;

-- name: previewed
-- What each fragment asks for beside what the build would serve of it.
SELECT e.entity_id, e.raw, e.title, e.url, f.fragment_id, f.exposure AS asks, s.raw AS shown_raw, s.exposure AS shown_exposure, f.label, s.gist
  FROM private.entity e
  JOIN private.fragment f ON f.archive_id = (SELECT api.scope()) AND f.entity_id = e.entity_id
  LEFT JOIN served.fragment s ON s.archive_id = (SELECT api.scope()) AND s.build_id = %(build_id)s AND s.fragment_id = f.fragment_id
 WHERE e.archive_id = (SELECT api.scope())
   AND (%(entity_ids)s::text[] = '{}' OR e.entity_id = ANY (%(entity_ids)s::text[]))
 ORDER BY e.entity_id COLLATE "C", f.fragment_id COLLATE "C";
