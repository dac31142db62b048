-- name: register_archive
-- An archive is registered by its first ingest, or by its host; later ones renew what is said of it and its terms.
SELECT api.register_archive(%(slug)s, %(name)s, %(author)s, %(base_url)s,
                            %(anonymous)s, %(minute)s, %(day)s, %(archive_day)s, %(private_day)s);

-- name: open_archive
-- Before a scope is set: the id a slug stands for, NULL when none.
SELECT api.open_archive(%(slug)s);

-- name: notice_a_death
-- A job whose machine or network went says no more, and would hold its archive for two hours: the server asks after it.
-- For this transaction alone, which is that of the lock.
SELECT set_config('tcp_keepalives_idle', '30', true), set_config('tcp_keepalives_interval', '10', true),
       set_config('tcp_keepalives_count', '3', true), set_config('tcp_user_timeout', '30s', true);

-- name: take_job_lock
-- Held by an open transaction; the server frees it when the holder dies.
SELECT job FROM private.job_lock WHERE archive_id = (SELECT api.scope()) AND job = %(job)s FOR UPDATE NOWAIT;

-- name: last_runs
-- What ran of an archive, whoever started it; the report stays where it is.
SELECT job, outcome, finished_at FROM private.run
 WHERE archive_id = (SELECT api.scope()) ORDER BY run_id DESC LIMIT %(most)s;

-- name: last_outcome
SELECT outcome FROM private.run
 WHERE archive_id = (SELECT api.scope()) AND job = %(job)s ORDER BY run_id DESC LIMIT 1;

-- name: record_run
INSERT INTO private.run (archive_id, job, outcome, report)
VALUES ((SELECT api.scope()), %(job)s, %(outcome)s, %(report)s);
