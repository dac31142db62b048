-- What is added to the tables of the queue's library, run by `fonds migrate` after them and again after each of the
-- library's own migrations: safe to run twice. It names the library's tables and leaves its text alone.

-- A job is of one archive and says nothing else: the database keeps paths and words out of the queue. The id is a column
-- of its own, so that removing an archive removes its jobs.
ALTER TABLE jobs.procrastinate_jobs
    ADD COLUMN IF NOT EXISTS archive_id integer GENERATED ALWAYS AS ((args ->> 'archive')::integer) STORED;
DO $constraints$
BEGIN
    -- Once: looked at again with rows in it, the foreign key would be checked as the owner, who sees no archive.
    IF NOT EXISTS (SELECT FROM pg_constraint
                    WHERE conrelid = 'jobs.procrastinate_jobs'::regclass AND conname = 'a_job_goes_with_its_archive') THEN
        ALTER TABLE jobs.procrastinate_jobs
            ADD CONSTRAINT a_job_is_of_an_archive CHECK (archive_id IS NOT NULL),
            ADD CONSTRAINT a_job_says_nothing_else CHECK (args - 'archive' = '{}'::jsonb AND jsonb_typeof(args -> 'archive') = 'number'),
            ADD CONSTRAINT a_job_has_a_name CHECK (task_name ~ '^[a-z][a-z0-9_-]{0,62}$'),
            ADD CONSTRAINT a_job_waits_for_its_archive CHECK (
                lock IS NOT NULL AND lock = 'archive:' || archive_id::text AND queue_name = lock),
            ADD CONSTRAINT a_job_is_queued_once CHECK (
                queueing_lock IS NOT NULL AND queueing_lock = task_name || ':' || archive_id::text),
            ADD CONSTRAINT a_job_goes_with_its_archive FOREIGN KEY (archive_id) REFERENCES private.archive ON DELETE CASCADE;
    END IF;
END
$constraints$;
CREATE INDEX IF NOT EXISTS job_by_archive ON jobs.procrastinate_jobs (archive_id);

-- The queue serves every archive. Its other tables hold no archive's rows; the owner's own triggers write there, when a
-- foreign key acts for it.
ALTER TABLE jobs.procrastinate_jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS the_queue_serves_every_archive ON jobs.procrastinate_jobs;
CREATE POLICY the_queue_serves_every_archive ON jobs.procrastinate_jobs TO fonds_queue USING (true);

DO $queue$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT c.oid::regclass AS name, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname = 'jobs' AND c.relname ~ '^procrastinate_' AND c.relkind IN ('r', 'S') ORDER BY 1 LOOP
        EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', t.name);
        IF t.relkind = 'S' THEN
            EXECUTE format('GRANT USAGE ON SEQUENCE %s TO fonds_queue', t.name);
        ELSE
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO fonds_queue', t.name);
            EXECUTE format('CREATE OR REPLACE TRIGGER refuses_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate()', t.name);
        END IF;
    END LOOP;
    -- Its functions find its tables wherever they are called from: the removal of an archive fires their triggers.
    FOR t IN SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
              WHERE n.nspname = 'jobs' AND p.proname ~ '^procrastinate_' ORDER BY 1 LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, jobs, pg_temp', t.name);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', t.name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO fonds_queue', t.name);
    END LOOP;
    FOR t IN SELECT y.oid::regtype AS name FROM pg_type y JOIN pg_namespace n ON n.oid = y.typnamespace
               LEFT JOIN pg_class c ON c.oid = y.typrelid
              WHERE n.nspname = 'jobs' AND y.typname ~ '^procrastinate_' AND (y.typtype = 'e' OR c.relkind = 'c') ORDER BY 1 LOOP
        EXECUTE format('REVOKE ALL ON TYPE %s FROM PUBLIC', t.name);
        EXECUTE format('GRANT USAGE ON TYPE %s TO fonds_queue', t.name);
    END LOOP;
    -- Whatever refers to a job goes with it, and so with its archive. Only an empty table is changed so: slots are ours.
    FOR t IN SELECT k.conrelid::regclass AS name, k.conname AS rule, a.attname AS referring
               FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
              WHERE k.contype = 'f' AND k.confrelid = 'jobs.procrastinate_jobs'::regclass AND k.confdeltype <> 'c' ORDER BY 1 LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I FOREIGN KEY (%I) REFERENCES jobs.procrastinate_jobs ON DELETE CASCADE',
            t.name, t.rule, t.rule, t.referring);
    END LOOP;
    -- Workers look for jobs by themselves. No login here may notify other sessions, and so none of these may either.
    FOR t IN SELECT g.tgrelid::regclass AS name, g.tgname AS trigger FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid
               JOIN pg_namespace n ON n.oid = p.pronamespace
              WHERE n.nspname = 'jobs' AND NOT g.tgisinternal AND p.prosrc ~* 'pg_notify' ORDER BY 1, 2 LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', t.name, t.trigger);
    END LOOP;
END
$queue$;
