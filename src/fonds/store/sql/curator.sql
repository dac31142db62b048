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

-- name: write_projection
-- A veto survives unless the author lifts it here; what did not change writes no row.
INSERT INTO private.projection AS p (archive_id, fragment_id, source, review, vetoed, stale, lint, gist, draft,
                                     content_hash, model, prompt_version, generated_at)
VALUES ((SELECT api.scope()), %(fragment_id)s, %(source)s, %(review)s, %(vetoed)s, %(stale)s, %(lint)s, %(gist)s, %(draft)s,
        %(content_hash)s, %(model)s, %(prompt_version)s, %(generated_at)s)
ON CONFLICT (archive_id, fragment_id) DO UPDATE
   SET source = EXCLUDED.source, review = EXCLUDED.review, vetoed = EXCLUDED.vetoed, stale = EXCLUDED.stale,
       lint = EXCLUDED.lint, gist = EXCLUDED.gist, draft = EXCLUDED.draft, content_hash = EXCLUDED.content_hash,
       model = EXCLUDED.model, prompt_version = EXCLUDED.prompt_version, generated_at = EXCLUDED.generated_at
 WHERE (p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash)
       IS DISTINCT FROM
       (EXCLUDED.source, EXCLUDED.review, EXCLUDED.vetoed, EXCLUDED.stale, EXCLUDED.lint, EXCLUDED.gist, EXCLUDED.draft, EXCLUDED.content_hash);
