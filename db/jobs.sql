-- The queue's own side: which slots of a schedule are taken, what ran and how it ended. The tables of the queue itself
-- come from its library when it is installed (`fonds migrate`); db/queue.sql says what is added to them.
-- Nothing here holds a path, a text or a key: an archive's id, the name of a job, times and exit codes.
-- Every table with an archive refers to it and goes with it (ON DELETE CASCADE), those of the library as well.

CREATE SCHEMA jobs;
REVOKE ALL ON SCHEMA jobs FROM PUBLIC;
GRANT USAGE ON SCHEMA jobs TO fonds_queue;

-- Which version of the library made its tables, with which of its migrations, out of which text.
CREATE TABLE jobs.queue_version (
    the_one      boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_queue CHECK (the_one),
    version      text NOT NULL,
    migrations   text[] NOT NULL,
    schema_hash  text NOT NULL CONSTRAINT a_hash_is_sha256 CHECK (schema_hash ~ '^[0-9a-f]{64}$'),
    installed_at timestamptz NOT NULL DEFAULT now()
);

-- The youngest slot of a schedule that was taken. Whoever takes one has put its job into the queue in the same
-- transaction: at most once over all workers, and after an outage once, not once for every slot that passed.
CREATE TABLE jobs.slot (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    job        text NOT NULL CONSTRAINT a_job_has_a_name CHECK (job ~ '^[a-z][a-z0-9_-]{0,62}$'),
    taken      timestamptz NOT NULL,
    PRIMARY KEY (archive_id, job)
);

-- Slots only move forward, and never past the database's own clock. A slot in the future is what a clock that was wrong
-- left behind: it may go back to the present, else the schedule would end until then.
CREATE FUNCTION jobs.keep_slots() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.taken > statement_timestamp() THEN
        RAISE EXCEPTION 'a slot is in the future' USING ERRCODE = '23514', TABLE = 'slot', CONSTRAINT = 'a_slot_has_come';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.taken < OLD.taken AND OLD.taken <= statement_timestamp() THEN
        RAISE EXCEPTION 'a slot goes back' USING ERRCODE = '23514', TABLE = 'slot', CONSTRAINT = 'slots_only_move_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER slots_only_move_forward BEFORE INSERT OR UPDATE ON jobs.slot FOR EACH ROW EXECUTE FUNCTION jobs.keep_slots();

-- What ran, one row an attempt. Open while it runs; what a killed worker left is closed by who gives its job back.
CREATE TABLE jobs.attempt (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    attempt_id bigint GENERATED ALWAYS AS IDENTITY,
    job        text NOT NULL CONSTRAINT a_job_has_a_name CHECK (job ~ '^[a-z][a-z0-9_-]{0,62}$'),
    job_id     bigint NOT NULL,               -- of the library's table; the attempt outlives it
    began_at   timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    outcome    text CONSTRAINT an_outcome_is_known CHECK (outcome IN (
                   'done',         -- exit 0
                   'waits',        -- exit 4: something waits for its owner, the rest is served
                   'failed',       -- exit 1, 2, any other, or a signal
                   'unavailable',  -- exit 69: tried again while attempts are left
                   'timed-out',    -- longer than its limit, and ended
                   'given-back',   -- its worker was told to end, or could not start it
                   'lost')),       -- its worker died
    exit_code  smallint,
    PRIMARY KEY (archive_id, attempt_id),
    CONSTRAINT what_ended_has_an_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT a_code_is_of_what_ended CHECK (exit_code IS NULL OR outcome IS NOT NULL)
);
CREATE INDEX attempt_by_job ON jobs.attempt (archive_id, job, attempt_id);
CREATE INDEX attempt_by_queued ON jobs.attempt (job_id) WHERE ended_at IS NULL;

-- The queue serves every archive, and sees of each that it has jobs.
ALTER TABLE jobs.slot ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs.attempt ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY the_queue_serves_every_archive ON jobs.slot TO fonds_queue USING (true);
CREATE POLICY the_queue_serves_every_archive ON jobs.attempt TO fonds_queue USING (true);
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON jobs.slot FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON jobs.attempt FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();

GRANT SELECT ON jobs.queue_version TO fonds_queue;
GRANT SELECT, INSERT, UPDATE (taken) ON jobs.slot TO fonds_queue;
GRANT SELECT, INSERT (archive_id, job, job_id), UPDATE (ended_at, outcome, exit_code), DELETE ON jobs.attempt TO fonds_queue;
