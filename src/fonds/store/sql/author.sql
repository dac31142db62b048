-- name: tighten_fragment
SELECT api.tighten_fragment(%(fragment_id)s, %(exposure)s);

-- name: lift_tightening
SELECT api.lift_tightening(%(fragment_id)s);

-- name: tightenings
-- What the author holds to less; a fragment that is gone is held for when it comes back.
SELECT t.fragment_id, t.exposure, f.file_exposure, t.tightened_at
  FROM private.tightening t
  LEFT JOIN private.fragment f ON f.archive_id = t.archive_id AND f.fragment_id = t.fragment_id
 WHERE t.archive_id = (SELECT api.scope())
 ORDER BY t.fragment_id COLLATE "C";

-- name: tombstones
-- What the ledger remembers of fragments that are gone; of those named by their own or their entity's id, or of all.
SELECT l.fragment_id, l.entity_id, l.exposure, l.vetoed, l.removed_at
  FROM private.ledger l
 WHERE l.archive_id = (SELECT api.scope()) AND l.removed_at IS NOT NULL
   AND (%(ids)s::text[] IS NULL OR l.fragment_id = ANY (%(ids)s::text[]) OR l.entity_id = ANY (%(ids)s::text[]))
 ORDER BY l.fragment_id COLLATE "C";

-- name: stored_ids
-- Which of these ids are a fragment or an entity that is stored.
SELECT fragment_id AS id FROM private.fragment WHERE archive_id = (SELECT api.scope()) AND fragment_id = ANY (%(ids)s)
UNION
SELECT entity_id FROM private.entity WHERE archive_id = (SELECT api.scope()) AND entity_id = ANY (%(ids)s);

-- name: forget_tombstones
SELECT forgotten FROM api.forget_tombstones(%(ids)s) AS forgotten;

-- name: audit
-- The youngest last, as a log is read.
SELECT noted_at, actor, action, subject
  FROM (SELECT audit_id, noted_at, actor, action, subject FROM private.audit
         WHERE archive_id = (SELECT api.scope()) ORDER BY audit_id DESC LIMIT %(last)s) AS youngest
 ORDER BY audit_id;
