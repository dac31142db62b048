-- name: set_patience
-- A worker beats and looks for jobs in one thread: no statement may hold it up for long. For this transaction alone, so
-- that it may go through a pooler that shares sessions.
SELECT set_config('statement_timeout', '30s', true), set_config('lock_timeout', '10s', true);

-- name: queue_now
SELECT statement_timestamp();

-- name: slots
SELECT archive_id, job, taken FROM jobs.slot;

-- name: enqueue
-- The library's own function; 23505 when the same job of this archive waits already.
SELECT unnest(jobs.procrastinate_defer_jobs_v1(ARRAY[
           ROW('archive:' || %(archive)s::integer, %(job)s::text, 0, 'archive:' || %(archive)s::integer,
               %(job)s::text || ':' || %(archive)s::integer,
               jsonb_build_object('archive', %(archive)s::integer), NULL)::jobs.procrastinate_job_to_defer_v1])) AS job_id;

-- name: open_slot
-- The first look at a schedule: what came before was nobody's.
INSERT INTO jobs.slot (archive_id, job, taken) VALUES (%(archive)s, %(job)s, statement_timestamp())
ON CONFLICT (archive_id, job) DO NOTHING;

-- name: mend_slot
-- A slot beyond the present is what a wrong clock took; it would end the schedule until then.
UPDATE jobs.slot SET taken = statement_timestamp()
 WHERE archive_id = %(archive)s AND job = %(job)s AND taken > statement_timestamp();

-- name: take_slot
-- Whoever changes the row has taken the slot; the others wait for the row and change nothing.
UPDATE jobs.slot SET taken = %(slot)s
 WHERE archive_id = %(archive)s AND job = %(job)s AND taken < %(slot)s AND %(slot)s <= statement_timestamp()
RETURNING job;

-- name: register_worker
SELECT worker_id FROM jobs.procrastinate_register_worker_v1();

-- name: beat
-- Unlike the library's function it tells a worker that was given up.
UPDATE jobs.procrastinate_workers SET last_heartbeat = now() WHERE id = %(worker)s RETURNING id;

-- name: unregister_worker
SELECT jobs.procrastinate_unregister_worker_v1(%(worker)s);

-- name: call_back
-- A job that waited to be tried again stands in line anew when its time has come: else new jobs of others, which stand
-- before it, could keep it for good.
UPDATE jobs.procrastinate_jobs SET priority = 0
 WHERE id IN (SELECT id FROM jobs.procrastinate_jobs
               WHERE status = 'todo' AND priority < 0 AND scheduled_at <= now() FOR UPDATE SKIP LOCKED);

-- name: take_job
SELECT id AS job_id, archive_id, task_name AS job, attempts
  FROM jobs.procrastinate_fetch_job_v2(
           (SELECT array_agg('archive:' || a) FROM unnest(%(archives)s::integer[]) AS a)::varchar[], %(worker)s)
 WHERE id IS NOT NULL;

-- name: open_attempt
INSERT INTO jobs.attempt (archive_id, job, job_id) VALUES (%(archive)s, %(job)s, %(job_id)s) RETURNING attempt_id;

-- name: close_attempt
UPDATE jobs.attempt SET ended_at = now(), outcome = %(outcome)s, exit_code = %(exit_code)s
 WHERE archive_id = %(archive)s AND attempt_id = %(attempt)s AND ended_at IS NULL;

-- name: close_lost_attempts
UPDATE jobs.attempt SET ended_at = now(), outcome = 'lost' WHERE job_id = %(job_id)s AND ended_at IS NULL;

-- name: held_job
-- Only its worker has a say over a job that runs; the row stays locked until that is said.
SELECT id FROM jobs.procrastinate_jobs
 WHERE id = %(job_id)s AND status = 'doing' AND worker_id = %(worker)s FOR UPDATE;

-- name: finish_job
SELECT jobs.procrastinate_finish_job_v1(%(job_id)s, %(status)s::jobs.procrastinate_job_status, false);

-- name: retry_job
-- A job that waits to be tried again steps behind the others until its time comes: a build does not wait for a provider.
SELECT jobs.procrastinate_retry_job_v2(%(job_id)s, now() + make_interval(secs => %(seconds)s), -1, NULL, NULL);

-- name: stalled_jobs
-- Taken by a worker that is gone, or whose heart stopped, or that knows nothing of it. Who else is at it skips the row.
SELECT j.id AS job_id, j.attempts
  FROM jobs.procrastinate_jobs j LEFT JOIN jobs.procrastinate_workers w ON w.id = j.worker_id
 WHERE j.status = 'doing' AND (w.id IS NULL OR w.last_heartbeat < now() - make_interval(secs => %(seconds)s)
                             OR (w.id = %(worker)s AND j.id <> ALL (%(running)s::bigint[])))
 ORDER BY j.id
   FOR UPDATE OF j SKIP LOCKED;

-- name: forget_workers
SELECT jobs.procrastinate_prune_stalled_workers_v1(%(seconds)s);

-- name: forget_jobs
-- The events of a job go with it.
DELETE FROM jobs.procrastinate_jobs j
 WHERE j.status IN ('succeeded', 'failed', 'cancelled', 'aborted')
   AND NOT EXISTS (SELECT FROM jobs.procrastinate_events e
                    WHERE e.job_id = j.id AND e.at > now() - make_interval(hours => 24 * %(days)s));

-- name: forget_attempts
DELETE FROM jobs.attempt WHERE ended_at < now() - make_interval(hours => 24 * %(days)s);

-- name: queued_jobs
-- What waits or runs of an archive, and the last that ended of each job.
SELECT id AS job_id, task_name AS job, status::text, attempts, scheduled_at AS not_before
  FROM jobs.procrastinate_jobs
 WHERE archive_id = %(archive)s
   AND (status IN ('todo', 'doing')
        OR id IN (SELECT max(id) FROM jobs.procrastinate_jobs
                   WHERE archive_id = %(archive)s AND status NOT IN ('todo', 'doing') GROUP BY task_name))
 ORDER BY id;

-- name: job_counts
SELECT task_name AS job, status::text, count(*) FROM jobs.procrastinate_jobs GROUP BY 1, 2 ORDER BY 1, 2;

-- name: last_attempts
SELECT job_id, job, began_at, ended_at, outcome, exit_code FROM jobs.attempt
 WHERE archive_id = %(archive)s ORDER BY attempt_id DESC LIMIT %(most)s;
