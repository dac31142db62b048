-- name: register_archive
-- An archive is registered by its first ingest; later ones renew its name, author and address.
SELECT api.register_archive(%(slug)s, %(name)s, %(author)s, %(base_url)s);

-- name: open_archive
-- Before a scope is set: the id a slug stands for, NULL when none.
SELECT api.open_archive(%(slug)s);

-- name: take_job_lock
-- Held by an open transaction; the server frees it when the holder dies.
SELECT job FROM private.job_lock WHERE archive_id = (SELECT api.scope()) AND job = %(job)s FOR UPDATE NOWAIT;
