-- How much may be asked of an archive (R187): a confidentiality control, for released scores tell. Counted here, over all
-- workers, and committed apart from the work. A day is UTC, by this server's clock: by its distance from UTC, since the
-- name UTC is first looked for among the abbreviations of the session's own zone, whatever that calls by it. Who asks and what is asked stand here as
-- hashes under a key of the archive and the day; when the key goes, the rows tell nothing any more, and then they go too.

-- The day of an archive so far, its key, and what callers without a key have used of it together.
CREATE TABLE private.limit_day (
    archive_id         integer PRIMARY KEY REFERENCES private.archive ON DELETE CASCADE,
    day                date NOT NULL,
    day_key            bytea NOT NULL,
    key_before         bytea,              -- of the day before, for a minute: midnight gives nobody a second minute's worth
    requests           integer NOT NULL DEFAULT 0,
    stranger_requests  integer NOT NULL DEFAULT 0,
    stranger_questions integer NOT NULL DEFAULT 0,
    CONSTRAINT a_key_has_its_length CHECK (octet_length(day_key) = 32 AND coalesce(octet_length(key_before), 32) = 32),
    CONSTRAINT strangers_are_counted_among_all CHECK (stranger_requests BETWEEN 0 AND requests),
    CONSTRAINT a_question_was_a_request CHECK (stranger_questions BETWEEN 0 AND stranger_requests)
) WITH (fillfactor = 50);
CREATE INDEX limit_day_by_day ON private.limit_day (day);

-- One caller's or one network's day, and its last minute in slots of five seconds, the oldest first.
CREATE TABLE private.caller_day (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    day        date NOT NULL,
    who        bytea NOT NULL,
    requests   integer NOT NULL,
    questions  integer NOT NULL,           -- distinct ones whose replies held private hits
    slot       bigint NOT NULL,            -- the last of the slots, counted from 1970
    slots      integer[] NOT NULL,
    PRIMARY KEY (archive_id, day, who),
    CONSTRAINT a_caller_is_a_hash CHECK (octet_length(who) = 32),
    CONSTRAINT a_question_was_a_request CHECK (questions BETWEEN 0 AND requests),
    -- Twelve make a minute, and any sixty seconds touch at most thirteen.
    CONSTRAINT a_minute_touches_thirteen_slots CHECK (cardinality(slots) = 13)
) WITH (fillfactor = 50);
CREATE INDEX caller_day_by_day ON private.caller_day (day);

-- The questions that were charged, for each they were charged to: a caller, its network, all strangers together.
CREATE TABLE private.charged_question (
    archive_id integer NOT NULL REFERENCES private.archive ON DELETE CASCADE,
    day        date NOT NULL,
    who        bytea NOT NULL,
    question   bytea NOT NULL,
    PRIMARY KEY (archive_id, day, who, question),
    CONSTRAINT a_question_is_a_hash CHECK (octet_length(who) = 32 AND octet_length(question) = 32)
);
CREATE INDEX charged_question_by_day ON private.charged_question (day);

-- What an archive allows, worked out of its own row and its live build; no argument of a caller comes near it.
-- Callers without a key have half of the day together. A network has four times a caller's requests (a house, an office),
-- and twice its private questions; strangers together have four times. Whoever gathers addresses gains no more than that.
CREATE TYPE private.limit_terms AS (
    per_minute bigint, per_day bigint, archive_day bigint, stranger_day bigint,
    network_minute bigint, network_day bigint, questions bigint, network_questions bigint, stranger_questions bigint);

CREATE FUNCTION private.limit_terms() RETURNS private.limit_terms
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms;
BEGIN
    SELECT t.caller_per_minute, t.caller_per_day, t.archive_per_day, t.archive_per_day / 2,
           4::bigint * t.caller_per_minute, 4::bigint * t.caller_per_day, t.budget, 2 * t.budget, 4 * t.budget
      INTO terms
      FROM (SELECT x.caller_per_minute, x.caller_per_day, x.archive_per_day,
                   -- Half as many questions as a vector has dimensions do not rebuild it.
                   coalesce(x.private_per_day, greatest(1, b.dimensions / 2))::bigint AS budget
              FROM private.access x
              LEFT JOIN served.live l ON l.archive_id = a
              LEFT JOIN served.build b ON b.archive_id = a AND b.build_id = l.build_id
             WHERE x.archive_id = a) AS t;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the archive has no terms of access' USING ERRCODE = '55000';
    END IF;
    RETURN terms;
END $$;

-- 244 random bits, without an extension.
CREATE FUNCTION private.fresh_key() RETURNS bytea
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$ SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) $$;

-- The key is of one length and stands first; what is told apart are kinds of things, then things.
CREATE FUNCTION private.keyed_hash(day_key bytea, kind text, thing text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$ SELECT sha256(day_key || convert_to(kind || ' ' || thing, 'UTF8')) $$;

-- Five seconds each.
CREATE FUNCTION private.slot_of(at timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT floor(extract(epoch FROM at) / 5)::bigint $$;

-- Since the day began, in seconds: for a minute and a slot the day before still counts.
CREATE FUNCTION private.day_is_young(at timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT (at AT TIME ZONE interval '0')::time < '00:01:05' $$;

-- The archive's row, locked until the transaction ends, of today and with today's key. Every count goes through here:
-- one archive is counted in one order, and nobody can wait for another in a circle.
CREATE FUNCTION private.limit_day_at(at timestamptz) RETURNS private.limit_day
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    today date := (at AT TIME ZONE interval '0')::date;
    found_day private.limit_day;
BEGIN
    LOOP
        SELECT * INTO found_day FROM private.limit_day d WHERE d.archive_id = a FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO private.limit_day (archive_id, day, day_key) VALUES (a, today, private.fresh_key()) ON CONFLICT DO NOTHING;
    END LOOP;
    -- Whoever waited over midnight, and a clock that was put back, go on in the day that has begun.
    IF found_day.day < today OR found_day.day > today + 1 THEN
        UPDATE private.limit_day d
           SET day = today, day_key = private.fresh_key(), requests = 0, stranger_requests = 0, stranger_questions = 0,
               key_before = CASE WHEN d.day = today - 1 AND private.day_is_young(at) THEN d.day_key END
         WHERE d.archive_id = a RETURNING d.* INTO found_day;
    ELSIF found_day.key_before IS NOT NULL AND NOT private.day_is_young(at) THEN
        UPDATE private.limit_day d SET key_before = NULL WHERE d.archive_id = a RETURNING d.* INTO found_day;
    END IF;
    RETURN found_day;
END $$;

-- How a caller or a network stands at a moment: its row with the slots that are over moved out, or a fresh one. Fresh in the
-- first minute of a day, it brings its last minute along. Nothing is written.
CREATE FUNCTION private.caller_day_at(today private.limit_day, kind text, identity text, at timestamptz) RETURNS private.caller_day
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hashed bytea := private.keyed_hash(today.day_key, kind, identity);
    this_slot bigint := private.slot_of(at);
    moved integer;
    standing private.caller_day;
BEGIN
    SELECT * INTO standing FROM private.caller_day c WHERE c.archive_id = today.archive_id AND c.day = today.day AND c.who = hashed;
    IF NOT FOUND THEN
        SELECT c.slot, c.slots INTO standing.slot, standing.slots FROM private.caller_day c
         WHERE c.archive_id = today.archive_id AND c.day = today.day - 1
           AND c.who = private.keyed_hash(today.key_before, kind, identity);
        standing := ROW(today.archive_id, today.day, hashed, 0, 0,
                        coalesce(standing.slot, this_slot), coalesce(standing.slots, array_fill(0, ARRAY[13])))::private.caller_day;
    END IF;
    moved := least(13, greatest(0, this_slot - standing.slot));
    IF standing.slot > this_slot + 13 THEN
        moved := 13;  -- the clock was put back: the minute begins anew, the day goes on
        standing.slot := this_slot;
    END IF;
    standing.slots := standing.slots[moved + 1:13] || array_fill(0, ARRAY[moved]);
    standing.slot := greatest(standing.slot, this_slot);
    RETURN standing;
END $$;

-- In how many seconds fewer than `allowed` will have asked within the last minute; 0 when it is so now.
CREATE FUNCTION private.seconds_to_wait(standing private.caller_day, allowed bigint, at timestamptz) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    counted bigint := (SELECT sum(n) FROM unnest(standing.slots) AS n);
    gone integer := 0;
BEGIN
    WHILE counted >= allowed AND gone < 13 LOOP
        gone := gone + 1;
        counted := counted - standing.slots[gone];
    END LOOP;
    RETURN CASE WHEN gone = 0 THEN 0 ELSE greatest(1, ceil((standing.slot + gone) * 5 - extract(epoch FROM at))::integer) END;
END $$;

CREATE FUNCTION private.seconds_to_midnight(at timestamptz) RETURNS integer
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT greatest(1, ceil(86400 - extract(epoch FROM (at AT TIME ZONE interval '0')::time))::integer) $$;

-- What a limit says of one more request: its name and when to come back, or NULL. A used-up private budget refuses whatever is
-- asked: if it refused what touches private material alone, the refusal would tell which that is.
CREATE FUNCTION private.limit_reached(
    terms private.limit_terms, today private.limit_day, caller private.caller_day, network private.caller_day, is_stranger boolean,
    at timestamptz, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    limit_hit := CASE
        WHEN caller.questions >= terms.questions OR network.questions >= terms.network_questions
          OR is_stranger AND today.stranger_questions >= terms.stranger_questions THEN 'private'
        WHEN caller.requests >= terms.per_day OR network.requests >= terms.network_day THEN 'day'
        WHEN today.requests >= terms.archive_day OR is_stranger AND today.stranger_requests >= terms.stranger_day THEN 'archive'
    END;
    retry_after := private.seconds_to_midnight(at);
    IF limit_hit IS NULL THEN
        retry_after := greatest(private.seconds_to_wait(caller, terms.per_minute, at),
                                CASE WHEN network IS NOT NULL THEN private.seconds_to_wait(network, terms.network_minute, at) END);
        IF retry_after > 0 THEN
            limit_hit := 'minute';
        END IF;
    END IF;
END $$;

-- Refuses what is out of shape: one short word a caller, and a network for addresses alone.
CREATE FUNCTION private.check_caller(caller_kind text, identity text, network text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(caller_kind NOT IN ('key', 'address') OR identity !~ '^[0-9A-Za-z.:/]{1,64}$', true)
       OR network !~ '^[0-9A-Za-z.:/]{1,64}$' OR caller_kind = 'key' AND network IS NOT NULL THEN
        RAISE EXCEPTION 'the caller is out of shape' USING ERRCODE = '22023';
    END IF;
END $$;

-- Counts one request for the archive, its caller and the network around it, if any, as they stand.
CREATE FUNCTION private.keep_request(today private.limit_day, caller private.caller_day, network private.caller_day, is_stranger boolean)
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE private.limit_day d
       SET requests = d.requests + 1, stranger_requests = d.stranger_requests + is_stranger::integer
     WHERE d.archive_id = today.archive_id;
    INSERT INTO private.caller_day AS c (archive_id, day, who, requests, questions, slot, slots)
    SELECT s.archive_id, s.day, s.who, 1, 0, s.slot, s.slots[1:12] || s.slots[13] + 1
      FROM unnest(ARRAY[caller, network]) AS s WHERE s.who IS NOT NULL
    ON CONFLICT (archive_id, day, who) DO UPDATE SET requests = c.requests + 1, slot = excluded.slot, slots = excluded.slots;
END $$;

-- Rows of days that are over, of any archive, five hundred of a kind at a time and none that somebody else has in hand.
CREATE FUNCTION private.forget_days(at timestamptz) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off  -- a table without statistics seems to be old for a third
AS $$
DECLARE
    today date := (at AT TIME ZONE interval '0')::date;
BEGIN
    IF NOT private.day_is_young(at) THEN
        DELETE FROM private.limit_day WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.limit_day d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
        DELETE FROM private.caller_day WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.caller_day d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
        DELETE FROM private.charged_question WHERE ctid = ANY (ARRAY(
            SELECT d.ctid FROM private.charged_question d WHERE d.day < today LIMIT 500 FOR UPDATE SKIP LOCKED));
    END IF;
END $$;

-- Whether a question was charged today, to a caller, a network or all strangers.
CREATE FUNCTION private.was_charged(today private.limit_day, charged bytea, asked bytea) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM private.charged_question q
                    WHERE q.archive_id = today.archive_id AND q.day = today.day AND q.who = charged AND q.question = asked)
$$;

-- Counts one request at a moment, or says which limit refuses it. What is refused is not counted: a flood of it uses up nobody
-- else's day. The first look takes no lock, so that whoever is refused already keeps nobody waiting.
CREATE FUNCTION private.take_at(at timestamptz, caller_kind text, identity text, network text, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms := private.limit_terms();
    is_stranger boolean := caller_kind = 'address';
    today private.limit_day;
    caller private.caller_day;
    around private.caller_day;
BEGIN
    PERFORM private.check_caller(caller_kind, identity, network);
    FOR look IN 1..2 LOOP
        IF look = 1 THEN
            SELECT * INTO today FROM private.limit_day d WHERE d.archive_id = a AND d.day = (at AT TIME ZONE interval '0')::date;
            CONTINUE WHEN NOT FOUND;
        ELSE
            today := private.limit_day_at(at);
        END IF;
        caller := private.caller_day_at(today, caller_kind, identity, at);
        IF network IS NOT NULL THEN
            around := private.caller_day_at(today, 'network', network, at);
        END IF;
        SELECT r.limit_hit, r.retry_after INTO limit_hit, retry_after
          FROM private.limit_reached(terms, today, caller, around, is_stranger, at) AS r;
        IF limit_hit IS NOT NULL THEN
            RETURN;
        END IF;
    END LOOP;
    PERFORM private.keep_request(today, caller, around, is_stranger);
    IF today.requests % 32 = 0 THEN
        PERFORM private.forget_days(at);
    END IF;
END $$;

-- Charges one question, a digest of it, whose reply holds private hits; or says that the budget does not reach. Each distinct one
-- counts once a day for the caller, once for its network, once for all strangers together. There is no question without a request:
-- where the day has changed in between, the request is counted again, so that rows never outnumber what the limits allow.
CREATE FUNCTION private.charge_at(
    at timestamptz, caller_kind text, identity text, network text, question bytea, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    terms private.limit_terms := private.limit_terms();
    today private.limit_day;
    caller private.caller_day;
    around private.caller_day;
    strangers bytea;
    asked bytea;
    charged bytea[];
BEGIN
    PERFORM private.check_caller(caller_kind, identity, network);
    IF coalesce(octet_length(question) <> 32, true) THEN
        RAISE EXCEPTION 'the digest is out of shape' USING ERRCODE = '22023';
    END IF;
    retry_after := 0;
    FOR look IN 1..2 LOOP
        IF look = 1 THEN
            SELECT * INTO today FROM private.limit_day d WHERE d.archive_id = a AND d.day = (at AT TIME ZONE interval '0')::date;
            CONTINUE WHEN NOT FOUND;
        ELSE
            today := private.limit_day_at(at);
        END IF;
        caller := private.caller_day_at(today, caller_kind, identity, at);
        asked := private.keyed_hash(today.day_key, 'question', encode(question, 'hex'));
        IF private.was_charged(today, caller.who, asked) THEN
            RETURN;
        END IF;
    END LOOP;
    charged := ARRAY[caller.who];
    IF network IS NOT NULL THEN
        around := private.caller_day_at(today, 'network', network, at);
        charged := charged || CASE WHEN NOT private.was_charged(today, around.who, asked) THEN around.who END;
    END IF;
    IF caller_kind = 'address' THEN
        strangers := private.keyed_hash(today.day_key, 'strangers', '');
        charged := charged || CASE WHEN NOT private.was_charged(today, strangers, asked) THEN strangers END;
    END IF;
    limit_hit := CASE
        WHEN caller.questions >= terms.questions
          OR around.who = ANY (charged) AND around.questions >= terms.network_questions
          OR strangers = ANY (charged) AND today.stranger_questions >= terms.stranger_questions THEN 'private'
        WHEN caller.questions >= caller.requests AND today.requests >= terms.archive_day THEN 'archive' END;
    IF limit_hit IS NOT NULL THEN
        retry_after := private.seconds_to_midnight(at);
        RETURN;
    END IF;
    IF caller.questions >= caller.requests THEN
        PERFORM private.keep_request(today, caller, around, caller_kind = 'address');
    END IF;
    INSERT INTO private.charged_question (archive_id, day, who, question)
    SELECT a, today.day, one, asked FROM unnest(charged) AS one WHERE one IS NOT NULL;
    UPDATE private.caller_day c SET questions = c.questions + 1
     WHERE c.archive_id = a AND c.day = today.day AND c.who = ANY (charged);
    UPDATE private.limit_day d SET stranger_questions = d.stranger_questions + 1
     WHERE d.archive_id = a AND strangers = ANY (charged);
END $$;

-- What a reader may call. It says who asks; which archive, its scope says; how much, the archive's own row does. A count that a
-- crash of the server loses is a second of counting, so nobody waits for the disk.
CREATE FUNCTION api.take(caller_kind text, identity text, network text, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s'
AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT t.limit_hit, t.retry_after INTO limit_hit, retry_after
      FROM private.take_at(clock_timestamp(), caller_kind, identity, network) AS t;
END $$;

-- A charge is on the disk before the reply leaves: no crash gives a question back.
CREATE FUNCTION api.charge_private(caller_kind text, identity text, network text, question bytea, OUT limit_hit text, OUT retry_after integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s'
AS $$
BEGIN
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    SELECT t.limit_hit, t.retry_after INTO limit_hit, retry_after
      FROM private.charge_at(clock_timestamp(), caller_kind, identity, network, question) AS t;
END $$;
