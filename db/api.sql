-- Functions only. What a login may do beyond reading its rows stands here, each owned by a narrow
-- role that row security binds as well (grants.sql hands them over).

-- The revision of this schema; each migration replaces it. Every login may ask.
CREATE FUNCTION api.revision() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog
AS $$ SELECT '0001' $$;

-- The build a reader sees. One snapshot a request, so it holds throughout.
CREATE FUNCTION api.live_build() RETURNS integer
    LANGUAGE sql STABLE SET search_path = pg_catalog
AS $$
    SELECT build_id FROM served.live WHERE archive_id = (SELECT api.scope())
$$;

-- The row of that build: row security leaves no other. A function, because its plan is made once a session.
CREATE FUNCTION api.served_build() RETURNS SETOF served.build
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog
AS $$
BEGIN
    RETURN QUERY SELECT b.* FROM served.build b;
END $$;

-- What its gate was calibrated to, by the same rule and for the same reason.
CREATE FUNCTION api.served_calibration() RETURNS SETOF served.calibration
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog
AS $$
BEGIN
    RETURN QUERY SELECT c.* FROM served.calibration c;
END $$;

-- The id of an archive by its slug; NULL when there is none, or when it is being removed. Takes no scope: it is how one is found.
CREATE FUNCTION api.open_archive(asked_slug text) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$
    SELECT archive_id FROM private.archive WHERE slug = asked_slug AND leaving_at IS NULL
$$;

-- Registers an archive, or renews what is said of it and the terms of access; returns its id, NULL while it is being
-- removed. Terms that are not given are those of a closed archive with the limits of private.access.
CREATE FUNCTION api.register_archive(
    asked_slug text, asked_name text, asked_author text, asked_base_url text,
    asked_anonymous boolean DEFAULT false, asked_minute integer DEFAULT 60, asked_day integer DEFAULT 2000,
    asked_archive_day integer DEFAULT 20000, asked_private_day integer DEFAULT NULL) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
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
            SELECT archive_id INTO found FROM private.archive WHERE slug = asked_slug;
        END IF;
    ELSE
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
-- as many days as that row says. Returns nothing to read.
CREATE FUNCTION api.note_refusal(asked_reason text, asked_record jsonb, asked_question text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
    INSERT INTO private.refusal (archive_id, reason, record, question, question_until)
    SELECT s.archive_id, asked_reason, asked_record, CASE WHEN a.question_days IS NOT NULL THEN asked_question END,
           CASE WHEN asked_question IS NOT NULL THEN now() + make_interval(days => a.question_days) END
      FROM (SELECT api.scope() AS archive_id) AS s
      LEFT JOIN private.archive a ON a.archive_id = s.archive_id
$$;

-- For how many days the questions of later refusals are kept, NULL for not at all. Erases those that are over, by the
-- days that held when they were asked or by the days asked for; returns how many. Its effect is the same twice.
CREATE FUNCTION api.keep_questions(asked_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    erased integer;
BEGIN
    UPDATE private.archive SET question_days = asked_days
     WHERE archive_id = (SELECT api.scope()) AND question_days IS DISTINCT FROM asked_days;
    UPDATE private.refusal SET question = NULL, question_until = NULL
     WHERE archive_id = (SELECT api.scope()) AND question_until IS NOT NULL
       AND (asked_days IS NULL OR least(question_until, refused_at + make_interval(days => asked_days)) <= now());
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
END $$;

-- A row of a scan that can still change its result.
CREATE TYPE api.near_row AS (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean);

-- The rows that can change the result of one question, with the figures that decide it.
-- Exact scan. A private row carries its released cosine (nearest 0.05) and is floored, counted and cut
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
    asked_words text[], asked_texts integer, lexical_max double precision)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, ext
    SET plan_cache_mode = force_generic_plan  -- made once a session: planning costs more than a thousand comparisons
    SET enable_seqscan = off                  -- else the planner reads every archive's rows once one is a quarter of the table
    SET max_parallel_workers_per_gather = 0
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    b integer := api.live_build();
    slack CONSTANT double precision := 1e-9;
    least double precision := asked_floor - disclosure_max - recency_max - other_max - slack;
    least_private double precision := least - 0.05;
    words record;
    titled_ids text[] := '{}'; themed_ids text[] := '{}'; named_ids text[] := '{}'; creator_ids text[]; speaker_ids text[];
    any_named boolean := false;
    unfiltered boolean := num_nonnulls(asked_raws, asked_types, asked_exposures, first_day, last_day, asked_creator, asked_speaker) = 0;
BEGIN
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
    RETURN QUERY
    -- OFFSET 0 keeps each distance computed once; nothing is kept of the rows but what can change the result,
    -- and the figures of all of them are taken in the same pass.
    WITH seen AS MATERIALIZED (
        SELECT array_agg(ROW(s.fragment_id, s.raw, s.date_start, s.cosine, coalesce(s.rank, 0), s.titled, s.themed)::api.near_row)
                   FILTER (WHERE s.cosine >= least_private AND NOT s.is_public OR s.cosine >= least AND s.is_public
                           OR s.cosine + lexical_max * s.rank >= least OR s.titled OR s.themed) AS kept,
               avg(s.cosine) FILTER (WHERE s.is_public) AS mean, stddev_pop(s.cosine) FILTER (WHERE s.is_public) AS deviation,
               array_agg(s.rank) FILTER (WHERE s.rank IS NOT NULL) AS ranks
          FROM (SELECT d.*, CASE WHEN d.is_public THEN 1 - d.distance ELSE floor((1 - d.distance) * 20 + 0.5) / 20 END AS cosine,
                       any_named AND d.fragment_id = ANY (titled_ids) AS titled,
                       any_named AND d.fragment_id = ANY (themed_ids) AS themed
                  FROM (SELECT e.fragment_id, e.raw, e.date_start, l.rank, e.raw = 'public' AS is_public,
                               e.embedding <=> asked_vector AS distance
                          FROM served.embedding e
                          LEFT JOIN unnest(words.numbers, words.ranks) AS l(number, rank) ON l.number = e.number
                         WHERE e.archive_id = a AND e.build_id = b
                           AND (unfiltered
                                OR ((asked_raws IS NULL OR e.raw = ANY (asked_raws))
                                    AND (asked_types IS NULL OR e.type = ANY (asked_types))
                                    AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
                                    AND (first_day IS NULL OR e.date_end >= first_day OR (include_undated AND e.date_end IS NULL))
                                    AND (last_day IS NULL OR e.date_start <= last_day OR (include_undated AND e.date_start IS NULL))
                                    AND (creator_ids IS NULL OR e.fragment_id = ANY (creator_ids))
                                    AND (speaker_ids IS NULL OR e.fragment_id = ANY (speaker_ids))))
                        OFFSET 0) AS d
                OFFSET 0) AS s),
    bounded AS MATERIALIZED (
        SELECT s.*, s.base + other_max
                 + CASE WHEN s.titled AND s.raw = ANY (phrase_raws) THEN title_max ELSE 0 END
                 + CASE WHEN s.themed AND s.raw = ANY (phrase_raws) THEN theme_max ELSE 0 END
                 + CASE WHEN s.date_start > recent_after AND s.raw = ANY (recency_raws) THEN recency_max ELSE 0 END
                 + CASE WHEN s.raw = 'public' THEN slack ELSE 0.025 + slack END AS reach
          FROM (SELECT n.*, CASE WHEN n.raw = 'public' THEN n.cosine + disclosure_max + lexical_max * n.lexical ELSE n.cosine END AS base
                  FROM seen CROSS JOIN LATERAL unnest(seen.kept) AS n) AS s),
    -- The k-th largest base of a layer: what a row has to be able to reach to be shown.
    certain AS (
        SELECT count(*) FILTER (WHERE c.raw = 'public')::integer AS public, count(*) FILTER (WHERE c.raw = 'private')::integer AS private,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'public'))[public_cap] AS public_kth,
               (array_agg(c.base ORDER BY c.base DESC) FILTER (WHERE c.raw = 'private'))[private_cap] AS private_kth
          FROM bounded c WHERE c.base >= asked_floor),
    best AS (
        SELECT (array_agg(r.rank))[1] AS rank, (array_agg(r.rank))[2] AS second
          FROM (SELECT u.rank FROM seen CROSS JOIN LATERAL unnest(seen.ranks) AS u(rank) ORDER BY u.rank DESC LIMIT 2) AS r)
    SELECT x.fragment_id, x.raw, x.date_start, x.cosine, x.lexical, x.titled, x.themed, certain.public, certain.private,
           CASE WHEN row_number() OVER (ORDER BY x.reach DESC, x.fragment_id) = 1 THEN (
                SELECT jsonb_build_object('mean', seen.mean, 'deviation', seen.deviation, 'best', best.rank, 'second', best.second,
                                          'most', words.most, 'frequencies', words.frequencies) FROM seen, best) END
      FROM certain, bounded x
     WHERE x.reach >= asked_floor
       AND (everything OR x.base < asked_floor
            OR x.reach >= coalesce(CASE WHEN x.raw = 'public' THEN certain.public_kth ELSE certain.private_kth END, asked_floor))
     ORDER BY x.reach DESC, x.fragment_id;
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
    asked_words text[], asked_texts integer, lexical_max double precision, with_content integer)
RETURNS TABLE (
    fragment_id text, raw text, date_start date, cosine double precision, lexical double precision, titled boolean, themed boolean,
    certain_public integer, certain_private integer, figures text,
    entity_id text, exposure text, place text, text text, summary text, trail text[], gist text, gist_source text,
    gist_review text, attribution text, date text, themes text[],
    type text, title text, url text, entity_attribution text, entity_date text, version text, identifiers text,
    parent text, entity_themes text[])
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, ext
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    a integer := api.scope();
    b integer := api.live_build();
BEGIN
    RETURN QUERY
    SELECT n.fragment_id, n.raw, n.date_start, n.cosine, n.lexical, n.titled, n.themed, n.certain_public, n.certain_private,
           n.figures::text, c.*
      FROM api.nearest(
           asked_vector, asked_phrases, asked_floor, public_cap, private_cap, everything, asked_raws, asked_types, asked_exposures,
           first_day, last_day, include_undated, asked_creator, creator_unspaced, asked_speaker, speaker_unspaced,
           title_max, theme_max, phrase_raws, theme_cap, recency_max, recency_raws, recent_after,
           disclosure_max, other_max, asked_words, asked_texts, lexical_max) WITH ORDINALITY AS n (
           fragment_id, raw, date_start, cosine, lexical, titled, themed, certain_public, certain_private, figures, place_in_line)
      LEFT JOIN LATERAL (
           SELECT f.entity_id, f.exposure, f.place::text, f.text, f.summary, f.trail, f.gist, f.gist_source,
                  f.gist_review, f.attribution::text, f.date, f.themes,
                  e.type, e.title, e.url, e.attribution::text, e.date, e.version, e.identifiers::text, e.parent, e.themes
             FROM (SELECT s.* FROM served.fragment s
                    WHERE n.place_in_line <= with_content
                      AND s.archive_id = a AND s.build_id = b AND s.fragment_id = n.fragment_id OFFSET 0) AS f
            CROSS JOIN LATERAL (
                  SELECT t.* FROM served.entity t
                   WHERE t.archive_id = a AND t.build_id = b AND t.entity_id = f.entity_id OFFSET 0) AS e) AS c ON true
     ORDER BY n.place_in_line;
END $$;

-- Fragments whose creators or speakers hold a normalised name as whole words (R106, R107).
CREATE FUNCTION api.named_fragments(asked_build integer, asked_kind text, asked_name text, asked_unspaced boolean) RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog
AS $$
    SELECT coalesce(array_agg(n.fragment_id), '{}')
      FROM served.name n
     WHERE n.archive_id = (SELECT api.scope()) AND n.build_id = asked_build AND n.kind = asked_kind
       AND CASE WHEN asked_unspaced OR n.unspaced
                THEN length(asked_name) >= 2 AND strpos(n.name, asked_name) > 0
                ELSE asked_name <> '' AND strpos(' ' || n.name || ' ', ' ' || asked_name || ' ') > 0 END
$$;

-- Undated fragments that satisfy every other filter (R104); counts only.
CREATE FUNCTION api.undated(
    asked_raws text[], asked_types text[], asked_exposures text[],
    asked_creator text, creator_unspaced boolean, asked_speaker text, speaker_unspaced boolean) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog SET enable_seqscan = off
AS $$
    SELECT count(*)
      FROM served.embedding e
     WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = (SELECT api.live_build())
       AND e.date_start IS NULL
       AND (asked_raws IS NULL OR e.raw = ANY (asked_raws))
       AND (asked_types IS NULL OR e.type = ANY (asked_types))
       AND (asked_exposures IS NULL OR e.exposure = ANY (asked_exposures))
       AND (asked_creator IS NULL OR e.fragment_id = ANY (api.named_fragments(api.live_build(), 'creator', asked_creator, creator_unspaced)))
       AND (asked_speaker IS NULL OR e.fragment_id = ANY (api.named_fragments(api.live_build(), 'speaker', asked_speaker, speaker_unspaced)))
$$;

-- How the archive in scope stands, for whoever keeps it: the last run of each job, refusals by reason, limits.
-- Times, counts and closed words; no report, no record and no question.
CREATE FUNCTION api.standing(asked_days integer) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog
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
                              WHERE r.archive_id = a AND r.refused_at > now() - make_interval(days => asked_days)
                              GROUP BY r.reason) f),
        'limits', (SELECT to_jsonb(t) FROM (
                       SELECT c.anonymous, c.caller_per_minute, c.caller_per_day, c.archive_per_day, c.private_per_day
                         FROM private.access c WHERE c.archive_id = a) t));
END $$;
