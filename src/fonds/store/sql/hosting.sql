-- name: admit
-- The archive and the key in one answer; told to whoever is admitted.
SELECT archive_id, key_id, verdict FROM api.admit(%(slug)s, %(hash)s, %(scope)s);

-- name: mint_key
-- Only the digest goes in.
SELECT key_id, minted_at, expires_at FROM api.mint_key(%(hash)s, %(scopes)s, %(label)s, %(days)s);

-- name: revoke_key
-- 'revoked', 'unchanged' when it was before, 'unknown' when this archive has no such key.
SELECT api.revoke_key(%(key_id)s);

-- name: list_keys
-- Of the archive in scope, oldest first.
SELECT key_id, scopes, label, minted_at, expires_at, revoked_at FROM api.list_keys();

-- name: find_key
-- Whose it is, by the digest of the whole of it; no row for a key nobody minted here.
SELECT slug, key_id FROM api.find_key(%(hash)s);

-- name: list_archives
-- Of the whole database, as the host sees them.
SELECT archive_id, slug, created_at, leaving_at, anonymous, built_at, entity_count, fragment_count, key_count
  FROM api.list_archives();

-- name: list_removals
-- Oldest first.
SELECT archive_id, removed_at, actor, row_count FROM api.list_removals();

-- name: unremovable
-- Tables no removal would reach: a removal is refused while there is one.
SELECT api.unremovable();

-- name: hold_jobs
-- Held by an open transaction; the server frees them when the holder dies.
SELECT api.hold_jobs();

-- name: begin_removal
-- Nobody is let in from its commit on.
SELECT api.begin_removal();

-- name: remove_portion
-- How many rows went; 0 when none is left to erase by itself.
SELECT api.remove_portion(%(most)s);

-- name: finish_removal
-- The archive's own row, with what still refers to it.
SELECT api.finish_removal(%(rows)s);
