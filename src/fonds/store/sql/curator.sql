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
-- What did not change writes no row. A row that is there is updated as the author says; one that comes back is
-- vetoed when it was (private.keep_veto), which an INSERT with ON CONFLICT would ask of every row.
MERGE INTO private.projection AS p
USING (SELECT %(fragment_id)s::text AS fragment_id, %(source)s::text AS source, %(review)s::text AS review,
              %(vetoed)s::boolean AS vetoed, %(stale)s::boolean AS stale, %(lint)s::text AS lint, %(gist)s::text AS gist,
              %(draft)s::text AS draft, %(content_hash)s::text AS content_hash, %(model)s::text AS model,
              %(prompt_version)s::text AS prompt_version, %(generated_at)s::timestamptz AS generated_at) AS n
   ON p.archive_id = (SELECT api.scope()) AND p.fragment_id = n.fragment_id
 WHEN MATCHED AND (p.source, p.review, p.vetoed, p.stale, p.lint, p.gist, p.draft, p.content_hash)
      IS DISTINCT FROM (n.source, n.review, n.vetoed, n.stale, n.lint, n.gist, n.draft, n.content_hash) THEN
      UPDATE SET source = n.source, review = n.review, vetoed = n.vetoed, stale = n.stale, lint = n.lint, gist = n.gist,
                 draft = n.draft, content_hash = n.content_hash, model = n.model, prompt_version = n.prompt_version,
                 generated_at = n.generated_at
 WHEN NOT MATCHED THEN
      INSERT (archive_id, fragment_id, source, review, vetoed, stale, lint, gist, draft, content_hash, model,
              prompt_version, generated_at)
      VALUES ((SELECT api.scope()), n.fragment_id, n.source, n.review, n.vetoed, n.stale, n.lint, n.gist, n.draft,
              n.content_hash, n.model, n.prompt_version, n.generated_at);
