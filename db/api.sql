-- Functions only. What a login may do beyond reading its rows stands here, each owned by a narrow
-- role that row security binds as well (grants.sql hands them over).

-- The revision of this schema; each migration replaces it. Every login may ask.
CREATE FUNCTION api.revision() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$ SELECT '0001' $$;

-- The build a reader sees: row security leaves the archive's own pointer, and asks for the scope but once. One snapshot a
-- request, so it holds throughout.
CREATE FUNCTION api.live_build() RETURNS integer
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT build_id FROM served.live
$$;

-- The row of that build: row security leaves no other. A function, because its plan is made once a session.
CREATE FUNCTION api.served_build() RETURNS SETOF served.build
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT b.* FROM served.build b;
END $$;

-- What its gate was calibrated to, by the same rule and for the same reason.
CREATE FUNCTION api.served_calibration() RETURNS SETOF served.calibration
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT c.* FROM served.calibration c;
END $$;

-- The id of an archive by its slug; NULL when there is none, or when it is being removed. Takes no scope: it is how one is found.
CREATE FUNCTION api.open_archive(asked_slug text) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT archive_id FROM private.archive WHERE slug = asked_slug AND leaving_at IS NULL
$$;

-- Registers an archive, or renews what is said of it and the terms of access; returns its id, NULL while it is being
-- removed. Terms that are not given are those of a closed archive with the limits of private.access. One that is there
-- is renewed in its own scope: no password alone opens an archive to everybody.
CREATE FUNCTION api.register_archive(
    asked_slug text, asked_name text, asked_author text, asked_base_url text,
    asked_anonymous boolean DEFAULT false, asked_minute integer DEFAULT 60, asked_day integer DEFAULT 2000,
    asked_archive_day integer DEFAULT 20000, asked_private_day integer DEFAULT NULL) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found integer;
    leaving boolean;
BEGIN
    SELECT archive_id, leaving_at IS NOT NULL INTO found, leaving FROM private.archive WHERE slug = asked_slug;
    IF leaving THEN
        RETURN NULL;
    END IF;
    IF found IS NULL THEN
        INSERT INTO private.archive (slug, name, author, base_url)
        VALUES (asked_slug, asked_name, asked_author, asked_base_url)
        ON CONFLICT (slug) DO NOTHING RETURNING archive_id INTO found;
        IF found IS NULL THEN
            RAISE EXCEPTION 'another has registered the archive since' USING ERRCODE = '55000';
        END IF;
    ELSE
        IF found <> api.scope() THEN
            RAISE EXCEPTION 'an archive is renewed in its own scope' USING ERRCODE = '55000';
        END IF;
        UPDATE private.archive SET name = asked_name, author = asked_author, base_url = asked_base_url
         WHERE archive_id = found AND (name, author, base_url) IS DISTINCT FROM (asked_name, asked_author, asked_base_url);
    END IF;
    INSERT INTO private.job_lock (archive_id, job)
    VALUES (found, 'ingest'), (found, 'build') ON CONFLICT DO NOTHING;
    INSERT INTO private.access AS t (archive_id, anonymous, caller_per_minute, caller_per_day, archive_per_day, private_per_day)
    VALUES (found, asked_anonymous, asked_minute, asked_day, asked_archive_day, asked_private_day)
        ON CONFLICT (archive_id) DO UPDATE
       SET anonymous = EXCLUDED.anonymous, caller_per_minute = EXCLUDED.caller_per_minute,
           caller_per_day = EXCLUDED.caller_per_day, archive_per_day = EXCLUDED.archive_per_day,
           private_per_day = EXCLUDED.private_per_day
     WHERE (t.anonymous, t.caller_per_minute, t.caller_per_day, t.archive_per_day, t.private_per_day)
           IS DISTINCT FROM (EXCLUDED.anonymous, EXCLUDED.caller_per_minute, EXCLUDED.caller_per_day,
                             EXCLUDED.archive_per_day, EXCLUDED.private_per_day);
    RETURN found;
END $$;

-- Appends a refusal record. The question is dropped unless the archive's own row asks for it, and is then kept for
-- as many days as that row says and no more than whoever asked was told, of 24 hours each: how long a day lasts, a session's
-- zone would say. Returns nothing to read.
CREATE FUNCTION api.note_refusal(asked_reason text, asked_record jsonb, asked_question text, told_days integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO private.refusal (archive_id, reason, record, question, question_until)
    SELECT s.archive_id, asked_reason, asked_record, CASE WHEN kept.days IS NOT NULL THEN asked_question END,
           CASE WHEN asked_question IS NOT NULL THEN now() + make_interval(hours => 24 * kept.days) END
      FROM (SELECT api.scope() AS archive_id) AS s
      LEFT JOIN private.archive a ON a.archive_id = s.archive_id
     CROSS JOIN LATERAL (SELECT CASE WHEN told_days IS NOT NULL AND a.question_days IS NOT NULL
                                     THEN least(told_days, a.question_days) END AS days) AS kept
$$;

-- For how many days the questions of later refusals are kept, NULL for not at all. Erases those that are over, by the
-- days that held when they were asked or by the days asked for; returns how many. Its effect is the same twice.
CREATE FUNCTION api.keep_questions(asked_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    erased integer;
BEGIN
    UPDATE private.archive SET question_days = asked_days
     WHERE archive_id = (SELECT api.scope()) AND question_days IS DISTINCT FROM asked_days;
    UPDATE private.refusal SET question = NULL, question_until = NULL
     WHERE archive_id = (SELECT api.scope()) AND question_until IS NOT NULL
       AND (asked_days IS NULL OR least(question_until, refused_at + make_interval(hours => 24 * asked_days)) <= now());
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
END $$;

-- A row of a scan that can still change its result.
CREATE TYPE api.near_row AS (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean);

-- What one look at the vectors found: those rows, the background of the question among public rows, the ranks by its
-- words, whether an index named the public rows, and how many of those it named have a base that clears the floor.
CREATE TYPE api.near_pool AS (
    kept api.near_row[], mean double precision, deviation double precision, ranks double precision[], by_index boolean,
    certain integer);

-- The rows that can change the result of one question, with the figures that decide it.
-- Exact scan, or, of an archive whose build has an admitted index and where nothing is lost by it, what api.near_pool
-- gives; `exactly` asks for the scan. A private row carries its released cosine (nearest 0.05) and is floored, counted and cut
-- by it: no argument shifts that rounding, and the exact figure stays in here.
-- base: cosine plus boosts known exactly from narrow columns and words. reach: base plus the most it may still get.
CREATE FUNCTION api.nearest(
    asked_vector ext.halfvec, asked_phrases text[], asked_floor double precision,
    public_cap integer, private_cap integer, everything boolean,
    asked_raws text[], asked_types text[], asked_exposures text[],
    first_day date, last_day date, include_undated boolean,
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean,
    title_max double precision, theme_max double precision, phrase_raws text[], theme_cap integer,
    recency_max double precision, recency_raws text[], recent_after date,
    disclosure_max double precision, other_max double precision,
    asked_words text[], asked_texts integer, lexical_max double precision, exactly boolean DEFAULT false)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures jsonb, archive_id integer, build_id integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan  -- made once a session: planning costs more than a thousand comparisons
    SET enable_seqscan = off                  -- else the planner reads every archive's rows once one is a quarter of the table
    -- What is called in here joins by hash. Where statistics make little of an archive (none were taken since its build, or
    -- there are very many others), joined one by one it costs fragments times fragments.
    SET enable_nestloop = off SET enable_mergejoin = off
    SET max_parallel_workers_per_gather = 0
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    b integer;
    has_index boolean;
    slack CONSTANT double precision := 1e-9;
    least double precision := asked_floor - disclosure_max - recency_max - other_max - slack;
    least_private double precision := least - 0.05;
    words record;
    ranked double precision[];  -- by the number of a fragment
    lowest double precision := least_private;  -- no words lift a cosine below it to `least`
    titled_ids text[] := '{}'; themed_ids text[] := '{}'; named_ids text[] := '{}'; creator_ids text[]; speaker_ids text[];
    any_named boolean := false;
    pool api.near_pool;
    unfiltered boolean := num_nonnulls(asked_raws, asked_types, asked_exposures, first_day, last_day, asked_creator, asked_speaker) = 0;
BEGIN
    SELECT l.build_id, EXISTS (SELECT FROM served.near_index i WHERE i.archive_id = a AND i.build_id = l.build_id)
      INTO b, has_index FROM served.live l WHERE l.archive_id = a;
    IF asked_vector IS NULL OR NOT l2_norm(asked_vector) > 0 THEN
        RAISE EXCEPTION 'the query vector is missing or zero' USING ERRCODE = '22023';
    END IF;
    IF public_cap NOT BETWEEN 1 AND 1000 OR private_cap NOT BETWEEN 1 AND 1000
       OR least(title_max, theme_max, recency_max, disclosure_max, other_max, lexical_max) < 0 OR asked_floor IS NULL
       OR cardinality(asked_words) > 256 OR asked_texts < 0 THEN
        RAISE EXCEPTION 'a limit or a boost is out of bounds' USING ERRCODE = '22023';
    END IF;
    IF cardinality(asked_phrases) > 0 THEN
        SELECT coalesce(array_agg(p.fragment_id) FILTER (WHERE p.kind = 'title'), '{}'),
               coalesce(array_agg(p.fragment_id) FILTER (WHERE p.kind = 'theme' AND (theme_cap IS NULL OR p.document_frequency <= theme_cap)), '{}')
          INTO titled_ids, themed_ids
          FROM served.phrase p
         WHERE p.archive_id = a AND p.build_id = b AND p.phrase = ANY (asked_phrases);
        named_ids := titled_ids || themed_ids;
        any_named := cardinality(named_ids) > 0;
    END IF;
    words := api.word_ranks(b, asked_words, asked_texts);
    IF asked_creator IS NOT NULL THEN
        creator_ids := api.named_fragments(b, 'creator', asked_creator, creator_unspaced);
    END IF;
    IF asked_speaker IS NOT NULL THEN
        speaker_ids := api.named_fragments(b, 'speaker', asked_speaker, speaker_unspaced);
    END IF;
    -- Filters that are not asked fold away, and long lists are hashed, where the plan knows the values.
    IF NOT unfiltered OR cardinality(named_ids) > 8 THEN
        PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    END IF;
    IF has_index AND unfiltered AND NOT everything AND NOT exactly AND asked_floor > -1 THEN
        pool := api.pool_by_index(b, asked_vector, asked_floor, public_cap, least, least_private, disclosure_max,
                                   recency_max + other_max, words.numbers, words.ranks, lexical_max, titled_ids, themed_ids);
    END IF;
    IF pool.by_index IS NOT TRUE THEN
        -- A look-up by number costs each row a third of what a join does.
        IF cardinality(words.numbers) > 0 THEN
            lowest := least(least_private, least - lexical_max * words.best_rank - slack);
            ranked := array_fill(0::double precision, ARRAY[words.last_number]);
            FOR i IN 1 .. cardinality(words.numbers) LOOP
                ranked[words.numbers[i]] := words.ranks[i];
            END LOOP;
        END IF;
        -- OFFSET 0 keeps each distance computed once; nothing is kept of the rows but what can change the result,
        -- and the figures of all public rows are taken in the same pass. What most rows are asked is cheap: only a public one
        -- has a number.
        SELECT array_agg(ROW(s.fragment_id, s.raw, s.date_start, s.cosine, coalesce(ranked[s.number], 0),
                             any_named AND s.fragment_id = ANY (titled_ids), any_named AND s.fragment_id = ANY (themed_ids))::api.near_row)
                   FILTER (WHERE s.cosine >= lowest AND s.cosine + lexical_max * coalesce(ranked[s.number], 0)
                                                        >= CASE WHEN s.raw = 'public' THEN least ELSE least_private END
                           OR any_named AND s.fragment_id = ANY (named_ids)),
               avg(s.cosine) FILTER (WHERE s.number IS NOT NULL OR s.raw = 'public'),
               stddev_pop(s.cosine) FILTER (WHERE s.number IS NOT NULL OR s.raw = 'public'),
               array_agg(ranked[s.number]) FILTER (WHERE NOT unfiltered AND ranked[s.number] > 0), false, NULL
          INTO pool
          FROM (SELECT e.fragment_id, e.raw, e.date_start, e.number,
                       CASE WHEN e.raw = 'public' THEN 1 - (e.embedding <=> asked_vector)
                            ELSE floor((1 - (e.embedding <=> asked_vector)) * 20 + 0.5) / 20 END AS cosine
                  FROM served.embedding e
                 WHERE e.archive_id = a AND e.build_id = b
                   AND (unfiltered
                        OR ((asked_raws IS NULL OR e.raw = ANY (asked_raws))
                            AND (asked_types IS NULL OR e.type = ANY (asked_types))
                            AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
                            AND (first_day IS NULL OR e.date_end >= first_day OR (include_undated AND e.date_end IS NULL))
                            AND (last_day IS NULL OR e.date_start <= last_day OR (include_undated AND e.date_start IS NULL))
                            AND (creator_ids IS NULL OR e.fragment_id = ANY (creator_ids))
                            AND (speaker_ids IS NULL OR e.fragment_id = ANY (speaker_ids))))
                OFFSET 0) AS s;
        IF unfiltered THEN
            pool.ranks := words.ranks;
        END IF;
    END IF;
    RETURN QUERY
    WITH bounded AS MATERIALIZED (
        SELECT s.*, s.base + other_max
                 + CASE WHEN s.titled AND s.raw = ANY (phrase_raws) THEN title_max ELSE 0 END
                 + CASE WHEN s.themed AND s.raw = ANY (phrase_raws) THEN theme_max ELSE 0 END
                 + CASE WHEN s.date_start > recent_after AND s.raw = ANY (recency_raws) THEN recency_max ELSE 0 END
                 + CASE WHEN s.raw = 'public' THEN slack ELSE 0.025 + slack END AS reach
          FROM (SELECT n.*, CASE WHEN n.raw = 'public' THEN n.cosine + disclosure_max + lexical_max * n.lexical ELSE n.cosine END AS base
                  FROM unnest(pool.kept) AS n) AS s),
    -- The k-th largest base of a layer: what a row has to be able to reach to be shown.
    certain AS (
        SELECT coalesce(pool.certain, count(*) FILTER (WHERE c.raw = 'public'))::integer AS public, count(*) FILTER (WHERE c.raw = 'private')::integer AS private,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'public'))[public_cap] AS public_kth,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'private'))[private_cap] AS private_kth
          FROM bounded c WHERE c.base >= asked_floor),
    best AS (
        SELECT (array_agg(r.rank))[1] AS rank, (array_agg(r.rank))[2] AS second
          FROM (SELECT u.rank FROM unnest(pool.ranks) AS u(rank) ORDER BY u.rank DESC LIMIT 2) AS r)
    SELECT x.fragment_id, x.raw, x.date_start, x.cosine, x.lexical, x.titled, x.themed, certain.public, certain.private,
           CASE WHEN row_number() OVER (ORDER BY x.reach DESC, x.fragment_id) = 1 THEN (
                SELECT jsonb_build_object('mean', pool.mean, 'deviation', pool.deviation, 'best', best.rank, 'second', best.second,
                                          'most', words.most, 'frequencies', words.frequencies, 'by_index', pool.by_index) FROM best) END,
           a, b
      FROM certain, bounded x
     WHERE x.reach >= asked_floor
       AND (everything OR x.base < asked_floor
            OR x.reach >= coalesce(CASE WHEN x.raw = 'public' THEN certain.public_kth ELSE certain.private_kth END, asked_floor))
     ORDER BY x.reach DESC, x.fragment_id;
END $$;

-- What api.nearest goes by where an admitted index names the public rows; NULL where only a scan of all will do: no
-- index, fewer hits than asked for, or a row that was not looked at could be among those shown. Private rows are all
-- looked at, whatever the index: what is told of them rests on every one. The index names rows and nothing else;
-- what is told of them is read here, under row security, and every cosine is computed from the stored vector.
-- A row not looked at is no nearer than the farthest that the index named. It could be shown only if its words made
-- up for that: such rows are looked at as well.
CREATE FUNCTION api.pool_by_index(
    asked_build integer, asked_vector ext.halfvec, asked_floor double precision, public_cap integer,
    lowest double precision, lowest_private double precision, disclosure_max double precision, lift_max double precision,
    numbers integer[], ranks double precision[], lexical_max double precision, titled_ids text[], themed_ids text[]) RETURNS api.near_pool
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    slack CONSTANT double precision := 1e-9;
    most_by_words CONSTANT integer := 2000;  -- two milliseconds of comparing; more is a scan by another name
    kept_index record;
    named record;
    pool api.near_pool;
    kth double precision;
    direction ext.vector;
    worded integer[] := '{}';
    ids text[];
    bases double precision[];
BEGIN
    SELECT i.breadth, i.centre INTO kept_index FROM served.near_index i WHERE i.archive_id = a AND i.build_id = asked_build AND i.admitted;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    named := api.named_by_index(asked_build, asked_vector, kept_index.breadth);
    IF named.farthest IS NULL THEN
        RETURN NULL;
    END IF;
    -- The distances are those of the same vectors: only what may be shown is read again, below.
    SELECT (array_agg(s.base ORDER BY s.base DESC))[public_cap], count(*), array_agg(s.base), array_agg(s.fragment_id)
      INTO kth, pool.certain, bases, ids
      FROM (SELECT n.fragment_id, 1 - n.distance + disclosure_max + lexical_max * coalesce(l.rank, 0) AS base
              FROM unnest(named.fragment_ids, named.numbers, named.distances) AS n(fragment_id, number, distance)
              LEFT JOIN unnest(numbers, ranks) AS l(number, rank) ON l.number = n.number) AS s
     WHERE s.base >= asked_floor;
    IF kth IS NULL OR 1 - named.farthest + disclosure_max + lift_max + slack >= kth THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(array_agg(l.number), '{}') INTO worded
      FROM unnest(numbers, ranks) AS l(number, rank)
     WHERE 1 - named.farthest + disclosure_max + lift_max + slack + lexical_max * l.rank >= kth;
    IF cardinality(worded) > most_by_words THEN
        RETURN NULL;
    END IF;
    ids := ARRAY(SELECT n.fragment_id FROM unnest(ids, bases) AS n(fragment_id, base) WHERE n.base + lift_max + slack >= kth)
           || titled_ids || themed_ids || api.named_by_number(asked_build, worded);
    SELECT array_agg(ROW(s.fragment_id, s.raw, s.date_start, s.cosine, s.rank, s.titled, s.themed)::api.near_row)
             FILTER (WHERE s.cosine + lexical_max * s.rank >= CASE WHEN s.raw = 'public' THEN lowest ELSE lowest_private END
                     OR s.titled OR s.themed),
           pool.certain + count(*) FILTER (WHERE s.raw = 'public' AND s.cosine + disclosure_max + lexical_max * s.rank >= asked_floor
                                            AND NOT s.fragment_id = ANY (named.fragment_ids))
      INTO pool.kept, pool.certain
      FROM (SELECT d.*, d.fragment_id = ANY (titled_ids) AS titled, d.fragment_id = ANY (themed_ids) AS themed
              FROM (SELECT e.fragment_id, e.raw, e.date_start, 1 - (e.embedding <=> asked_vector) AS cosine, coalesce(l.rank, 0) AS rank
                      FROM served.embedding e LEFT JOIN unnest(numbers, ranks) AS l(number, rank) ON l.number = e.number
                     -- Not "= 'public'": without statistics that leads through every public row, and ids name a few.
                     WHERE e.archive_id = a AND e.build_id = asked_build AND e.raw <> 'private' AND e.fragment_id = ANY (ids)
                    UNION ALL
                    SELECT e.fragment_id, e.raw, e.date_start, floor((1 - (e.embedding <=> asked_vector)) * 20 + 0.5) / 20, 0
                      FROM served.embedding e
                     WHERE e.archive_id = a AND e.build_id = asked_build AND e.raw = 'private') AS d
            OFFSET 0) AS s;
    direction := l2_normalize(asked_vector::ext.vector);
    pool.mean := -(kept_index.centre <#> direction);
    SELECT sqrt(greatest(sum(u.part * -(s.spread <#> direction)), 0)) INTO pool.deviation
      FROM served.index_spread s JOIN unnest(direction::real[]) WITH ORDINALITY AS u(part, place) ON u.place = s.place
     WHERE s.archive_id = a AND s.build_id = asked_build;
    pool.ranks := ranks;
    pool.by_index := pool.deviation IS NOT NULL;
    RETURN pool;
END $$;

-- The same rows, the first so many with what may be shown of them: one round trip for both, and one plan a session.
-- With the caller's rights: content is read under its own row security. OFFSET 0 keeps each row a look-up of
-- its own: joined, the planner reads all of the build, since no statistics are kept of words.
-- JSON comes as text: most of it is an empty list, which needs no parser.
CREATE FUNCTION api.nearest_content(
    asked_vector ext.halfvec, asked_phrases text[], asked_floor double precision,
    public_cap integer, private_cap integer, everything boolean,
    asked_raws text[], asked_types text[], asked_exposures text[],
    first_day date, last_day date, include_undated boolean,
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean,
    title_max double precision, theme_max double precision, phrase_raws text[], theme_cap integer,
    recency_max double precision, recency_raws text[], recent_after date,
    disclosure_max double precision, other_max double precision,
    asked_words text[], asked_texts integer, lexical_max double precision, exactly boolean, with_content integer)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures text,
    entity_id text, exposure text, place text, text text, summary text, trail text[], gist text, gist_source text,
    gist_review text, attribution text, date text, themes text[],
    type text, title text, url text, entity_attribution text, entity_date text, version text, identifiers text,
    parent text, entity_themes text[])
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, ext, pg_temp
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT n.fragment_id, n.raw, n.date_start, n.cosine, n.lexical, n.titled, n.themed, n.certain_public, n.certain_private,
           n.figures::text, c.*
      FROM api.nearest(
           asked_vector, asked_phrases, asked_floor, public_cap, private_cap, everything, asked_raws, asked_types, asked_exposures,
           first_day, last_day, include_undated, asked_creator, creator_unspaced, asked_speaker, speaker_unspaced,
           title_max, theme_max, phrase_raws, theme_cap, recency_max, recency_raws, recent_after,
           disclosure_max, other_max, asked_words, asked_texts, lexical_max, exactly) WITH ORDINALITY AS n (
           fragment_id, raw, date_start, cosine, lexical, titled, themed, certain_public, certain_private, figures,
           archive_id, build_id, place_in_line)
      LEFT JOIN LATERAL (
           SELECT f.entity_id, f.exposure, f.place::text, f.text, f.summary, f.trail, f.gist, f.gist_source,
                  f.gist_review, f.attribution::text, f.date, f.themes,
                  e.type, e.title, e.url, e.attribution::text, e.date, e.version, e.identifiers::text, e.parent, e.themes
             FROM (SELECT s.* FROM served.fragment s
                    WHERE n.place_in_line <= with_content
                      AND s.archive_id = n.archive_id AND s.build_id = n.build_id AND s.fragment_id = n.fragment_id OFFSET 0) AS f
            CROSS JOIN LATERAL (
                  SELECT t.* FROM served.entity t
                   WHERE t.archive_id = f.archive_id AND t.build_id = f.build_id AND t.entity_id = f.entity_id OFFSET 0) AS e) AS c ON true
     ORDER BY n.place_in_line;
END $$;

-- Fragments whose creators or speakers hold a normalised name as whole words (R106, R107).
CREATE FUNCTION api.named_fragments(asked_build integer, asked_kind text, asked_name text, asked_unspaced boolean) RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(array_agg(n.fragment_id), '{}')
      FROM served.name n
     WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = asked_build AND n.kind = asked_kind
       AND CASE WHEN asked_unspaced OR n.unspaced
                THEN length(asked_name) >= 2 AND strpos(n.name, asked_name) > 0
                ELSE asked_name <> '' AND strpos(' ' || n.name || ' ', ' ' || asked_name || ' ') > 0 END
$$;

-- Undated fragments that satisfy every other filter (R104); counts only. Whose a fragment is, is looked up once and
-- asked by hash: in a plan made for any question, which a session comes to after five, a call of its own stands for each row.
CREATE FUNCTION api.undated(
    asked_raws text[], asked_types text[], asked_exposures text[],
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
    SELECT count(*)
      FROM served.embedding e
     WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = (SELECT api.live_build())
       AND e.date_start IS NULL
       AND (asked_raws IS NULL OR e.raw = ANY (asked_raws))
       AND (asked_types IS NULL OR e.type = ANY (asked_types))
       AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
       AND (asked_creator IS NULL OR e.fragment_id IN (
            SELECT unnest(api.named_fragments((SELECT api.live_build()), 'creator', asked_creator, creator_unspaced))))
       AND (asked_speaker IS NULL OR e.fragment_id IN (
            SELECT unnest(api.named_fragments((SELECT api.live_build()), 'speaker', asked_speaker, speaker_unspaced))))
$$;

-- How the archive in scope stands, for whoever keeps it: the last run of each job, refusals by reason, limits.
-- Times, counts and closed words; no report, no record and no question.
CREATE FUNCTION api.standing(asked_days integer) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    RETURN jsonb_build_object(
        'runs', (SELECT coalesce(jsonb_agg(jsonb_build_object('job', l.job, 'outcome', l.outcome, 'finished', l.finished_at)
                                           ORDER BY l.job), '[]')
                   FROM (SELECT DISTINCT ON (r.job) r.job, r.outcome, r.finished_at
                           FROM private.run r WHERE r.archive_id = a ORDER BY r.job, r.run_id DESC) l),
        'refusals', (SELECT coalesce(jsonb_object_agg(f.reason, f.times), '{}')
                       FROM (SELECT r.reason, count(*) AS times FROM private.refusal r
                              WHERE r.archive_id = a AND r.refused_at > now() - make_interval(hours => 24 * asked_days)
                              GROUP BY r.reason) f),
        'limits', (SELECT to_jsonb(t) FROM (
                       SELECT c.anonymous, c.caller_per_minute, c.caller_per_day, c.archive_per_day, c.private_per_day
                         FROM private.access c WHERE c.archive_id = a) t));
END $$;

-- The approximate index of a build. Whoever makes one gives numbers alone, and gets a table in the schema indexes that
-- is named by them; the role behind these functions can make, fill and drop such tables, and nothing else.

-- Takes out of the copy of a build what the build no longer serves.
CREATE FUNCTION api.sweep_index(asked_archive integer, asked_build integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
AS $$
BEGIN
    EXECUTE format('DELETE FROM indexes.near_%s_%s c WHERE NOT EXISTS (SELECT FROM served.embedding e'
                   ' WHERE e.archive_id = $1 AND e.build_id = $2 AND e.fragment_id = c.fragment_id)', asked_archive, asked_build)
      USING asked_archive, asked_build;
END $$;

-- Makes the index of a build of the archive in scope that has none, and notes how; returns how many vectors were copied.
-- It answers nothing until it is admitted. One that a build has is dropped first, in a transaction of its own: searches
-- and withdrawals would wait for the making otherwise.
CREATE FUNCTION api.make_index(asked_build integer, asked_links integer, asked_width integer, asked_breadth integer, asked_least integer)
    RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ext, pg_temp SET maintenance_work_mem = '512MB'
AS $$
DECLARE
    a integer := api.scope();
    d integer;
    copied integer;
BEGIN
    SELECT b.dimensions INTO d FROM served.build b WHERE b.archive_id = a AND b.build_id = asked_build;
    IF d IS NULL THEN
        RAISE EXCEPTION 'there is no such build' USING ERRCODE = '22023';
    END IF;
    EXECUTE format('CREATE TABLE indexes.near_%s_%s (fragment_id text NOT NULL, number integer, embedding ext.halfvec(%s) NOT NULL)', a, asked_build, d);
    EXECUTE format('INSERT INTO indexes.near_%s_%s SELECT e.fragment_id, e.number, e.embedding FROM served.embedding e'
                   ' WHERE e.archive_id = $1 AND e.build_id = $2 AND e.raw = ''public'' ORDER BY e.fragment_id', a, asked_build) USING a, asked_build;
    GET DIAGNOSTICS copied = ROW_COUNT;
    INSERT INTO served.near_index (archive_id, build_id, links, width, breadth, least, vectors)
    VALUES (a, asked_build, asked_links, asked_width, asked_breadth, asked_least, copied);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_graph ON indexes.near_%1$s_%2$s USING hnsw (embedding ext.halfvec_cosine_ops)'
                   ' WITH (m = %3$s, ef_construction = %4$s)', a, asked_build, asked_links, asked_width);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_numbers ON indexes.near_%1$s_%2$s (number)', a, asked_build);
    EXECUTE format('CREATE INDEX near_%1$s_%2$s_fragments ON indexes.near_%1$s_%2$s (fragment_id)', a, asked_build);
    -- What was withdrawn since the copying knew of no copy. Each withdrawal changes this row before it looks for one: those
    -- before this are done once the row is ours, and those after it find the copy.
    PERFORM FROM served.build b WHERE b.archive_id = a AND b.build_id = asked_build FOR NO KEY UPDATE;
    PERFORM api.sweep_index(a, asked_build);
    RETURN copied;
END $$;

-- Takes the index of a build away, and what was noted of it; whether there was any. The next search is exact.
CREATE FUNCTION api.drop_index(asked_build integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a integer := api.scope();
    noted boolean;
BEGIN
    DELETE FROM served.near_index WHERE archive_id = a AND build_id = asked_build;
    noted := FOUND;
    IF to_regclass(format('indexes.near_%s_%s', a, asked_build)) IS NOT NULL THEN
        EXECUTE format('DROP TABLE indexes.near_%s_%s', a, asked_build);
        RETURN true;
    END IF;
    RETURN noted;
END $$;

-- How much room the index of a build takes, its copy of the vectors included; NULL where there is none.
CREATE FUNCTION api.index_bytes(asked_build integer) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_total_relation_size(to_regclass(format('indexes.near_%s_%s', (SELECT api.scope()), asked_build)))
$$;

-- The fragments the index finds nearest, each with its number and distance, and how far the farthest of them is: NULL
-- where it finds fewer than asked for, or is gone by now. As much of the graph is looked at as that takes.
CREATE FUNCTION api.named_by_index(asked_build integer, asked_vector ext.halfvec, how_many integer,
    OUT fragment_ids text[], OUT numbers integer[], OUT distances double precision[], OUT farthest double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, ext, pg_temp
    SET enable_seqscan = off SET enable_sort = off SET jit = off
AS $$
DECLARE
    a integer := api.scope();
BEGIN
    IF to_regclass(format('indexes.near_%s_%s', a, asked_build)) IS NULL THEN
        RETURN;
    END IF;
    -- Until the transaction ends: the extension's settings cannot be a function's own where it is not loaded yet.
    PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', how_many::text, true);
    EXECUTE format('SELECT array_agg(n.fragment_id), array_agg(n.number), array_agg(n.distance), CASE WHEN count(*) = $2 THEN max(n.distance) END'
                   '  FROM (SELECT c.fragment_id, c.number, c.embedding <=> $1 AS distance FROM indexes.near_%s_%s c'
                   '         ORDER BY c.embedding <=> $1 LIMIT $2) AS n', a, asked_build)
       INTO fragment_ids, numbers, distances, farthest USING asked_vector, how_many;
EXCEPTION WHEN undefined_table THEN  -- dropped since it was looked for
    farthest := NULL;
END $$;

-- The fragments of these numbers, by which words name them.
CREATE FUNCTION api.named_by_number(asked_build integer, asked_numbers integer[]) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    found text[] := '{}';
BEGIN
    IF cardinality(asked_numbers) > 0 THEN
        EXECUTE format('SELECT coalesce(array_agg(c.fragment_id), ''{}'') FROM indexes.near_%s_%s c WHERE c.number = ANY ($1)', api.scope(), asked_build)
           INTO found USING asked_numbers;
    END IF;
    RETURN found;
END $$;

-- An index goes with its build. When rows of a build were withdrawn it is no longer of these vectors: theirs leave it,
-- and searches are exact until it was checked again.
CREATE FUNCTION private.follow_build() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- First, as whoever drops an index takes that row first: it has gone by the time we look, or waits for us.
        UPDATE served.near_index SET admitted = false, centre = NULL WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id;
        DELETE FROM served.index_spread WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id;
    END IF;
    IF to_regclass(format('indexes.near_%s_%s', OLD.archive_id, OLD.build_id)) IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('DROP TABLE indexes.near_%s_%s', OLD.archive_id, OLD.build_id);
    ELSE
        PERFORM api.sweep_index(OLD.archive_id, OLD.build_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER index_goes_with_it AFTER DELETE ON served.build FOR EACH ROW EXECUTE FUNCTION private.follow_build();
CREATE TRIGGER index_follows_what_is_withdrawn AFTER UPDATE OF fragment_count ON served.build
    FOR EACH ROW WHEN (NEW.fragment_count < OLD.fragment_count) EXECUTE FUNCTION private.follow_build();
