-- The lexical signal on public text: postings follow the word lists, and a question's words rank them.

-- How the words of fragments that come to be served are found by word. Most of a build says what an earlier one says:
-- where most of its numbers stand for the words they stood for there, that build's postings are taken over, less what
-- went and with what came. Adding all words up anew is nearly half of what a build costs. What is the same is compared
-- here, word by word; no hash and no state is believed.
CREATE FUNCTION private.hold_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_nestloop = off SET enable_mergejoin = off
    SET enable_seqscan = off  -- else every build of every archive is read for the one before
AS $$
DECLARE
    a integer;
    b integer;
    builds bigint;
    lists bigint;
    base integer;
    unchanged integer[];
BEGIN
    SELECT min(n.archive_id), min(n.build_id), count(DISTINCT (n.archive_id, n.build_id)), count(*) INTO a, b, builds, lists FROM added n;
    IF builds = 1 AND NOT EXISTS (SELECT FROM served.posting WHERE archive_id = a AND build_id = b) THEN
        SELECT max(k.build_id) INTO base FROM served.build k WHERE k.archive_id = a AND k.build_id < b AND k.may_be_live;
        -- Byte by byte, where numbers meet: as part of the join, all words of both builds would be hashed one by one.
        SELECT array_agg(n.number) INTO unchanged
          FROM added n
          JOIN served.word_list o ON o.archive_id = a AND o.build_id = base AND o.number = n.number
         WHERE ROW(o.words, o.weights)::record *= ROW(n.words, n.weights)::record;
    END IF;
    IF 2 * cardinality(unchanged) > lists THEN
        WITH same AS MATERIALIZED (SELECT u.number FROM unnest(unchanged) AS u(number)),
        went AS MATERIALIZED (
            SELECT w.word, o.number >> 10 AS block, array_agg((o.number << 10) | w.weight) AS held
              FROM served.word_list o CROSS JOIN LATERAL unnest(o.words, o.weights) AS w(word, weight)
             WHERE o.archive_id = a AND o.build_id = base AND NOT EXISTS (SELECT FROM same s WHERE s.number = o.number)
             GROUP BY w.word, o.number >> 10),
        came AS MATERIALIZED (
            SELECT w.word, n.number >> 10 AS block, array_agg((n.number << 10) | w.weight) AS held
              FROM added n CROSS JOIN LATERAL unnest(n.words, n.weights) AS w(word, weight)
             WHERE NOT EXISTS (SELECT FROM same s WHERE s.number = n.number)
             GROUP BY w.word, n.number >> 10),
        stays AS (
            SELECT p.word, p.block,
                   CASE cardinality(w.held) WHEN 1 THEN array_remove(p.held, w.held[1])
                        ELSE CASE WHEN w.held IS NULL THEN p.held
                                  ELSE ARRAY(SELECT h FROM unnest(p.held) AS h WHERE h <> ALL (w.held)) END END AS held
              FROM served.posting p LEFT JOIN went w ON w.word = p.word AND w.block = p.block
             WHERE p.archive_id = a AND p.build_id = base)
        INSERT INTO served.posting (archive_id, build_id, word, block, held)
        SELECT a, b, x.word, x.block, x.held
          FROM (SELECT coalesce(s.word, c.word) AS word, coalesce(s.block, c.block) AS block,
                       CASE WHEN c.held IS NULL THEN s.held WHEN s.held IS NULL THEN c.held ELSE s.held || c.held END AS held
                  FROM stays s FULL JOIN came c ON c.word = s.word AND c.block = s.block
                OFFSET 0) AS x
         WHERE x.held <> '{}'
         ORDER BY x.word, x.block;
        RETURN NULL;
    END IF;
    INSERT INTO served.posting AS p (archive_id, build_id, word, block, held)
    SELECT a.archive_id, a.build_id, w.word, a.number >> 10, array_agg((a.number << 10) | w.weight)
      FROM added a CROSS JOIN LATERAL unnest(a.words, a.weights) AS w(word, weight)
     GROUP BY a.archive_id, a.build_id, w.word, a.number >> 10
     ORDER BY w.word, a.number >> 10
        ON CONFLICT (archive_id, build_id, word, block) DO UPDATE SET held = p.held || EXCLUDED.held;
    RETURN NULL;
END $$;
CREATE TRIGGER holds_words AFTER INSERT ON served.word_list
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.hold_words();

-- Takes them out again. A build that goes takes its postings along by itself, and so does an archive.
-- By index whatever the session says: a build forbids nested loops, and reading all words costs 50 ms a fragment.
CREATE FUNCTION private.drop_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
BEGIN
    MERGE INTO served.posting AS p
    USING (SELECT g.archive_id, g.build_id, w.word, g.number >> 10 AS block, array_agg(g.number) AS numbers
             FROM gone g JOIN served.build b ON b.archive_id = g.archive_id AND b.build_id = g.build_id
             JOIN private.archive a ON a.archive_id = g.archive_id AND a.leaving_at IS NULL
            CROSS JOIN LATERAL unnest(g.words) AS w(word)
            GROUP BY g.archive_id, g.build_id, w.word, g.number >> 10) AS t
       ON p.archive_id = t.archive_id AND p.build_id = t.build_id AND p.word = t.word AND p.block = t.block
     WHEN MATCHED AND cardinality(p.held) <= cardinality(t.numbers) THEN DELETE
     WHEN MATCHED THEN UPDATE SET held = ARRAY(SELECT h FROM unnest(p.held) AS h WHERE (h >> 10) <> ALL (t.numbers));
    RETURN NULL;
END $$;
CREATE TRIGGER drops_words AFTER DELETE ON served.word_list
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION private.drop_words();

-- What stops being served as text loses its words first, whoever narrows it; the foreign key would refuse otherwise.
CREATE FUNCTION private.forget_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    DELETE FROM served.word_list
     WHERE archive_id = OLD.archive_id AND build_id = OLD.build_id AND fragment_id = OLD.fragment_id;
    RETURN NEW;
END $$;
CREATE TRIGGER forgets_words BEFORE UPDATE OF exposure ON served.fragment
    FOR EACH ROW WHEN (OLD.exposure = 'text' AND NEW.exposure <> 'text') EXECUTE FUNCTION private.forget_words();

-- How well each fragment answers to a question's words, from 0 to 1: their weights there times how rare
-- they are among the texts, over the most any text could have. In whole numbers, so that no order of
-- adding up shows. `most` is what 1 stands for. Rarest first, only as many words are looked at as stand in texts a fifth as
-- often as there are texts: what a question costs is bounded by the archive, not by its length, and what
-- stands in every fifth text tells little.
CREATE FUNCTION api.word_ranks(
    asked_build integer, asked_words text[], asked_texts integer,
    OUT numbers integer[], OUT ranks double precision[], OUT last_number integer, OUT best_rank double precision,
    OUT most double precision, OUT frequencies jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
DECLARE
    heaviest CONSTANT integer := 1023;
BEGIN
    WITH held AS MATERIALIZED (
        SELECT p.word, p.held
          FROM served.posting p
         WHERE p.archive_id = (SELECT api.scope()) AND p.build_id = asked_build AND p.word = ANY (asked_words)),
    counted AS (
        SELECT a.word, coalesce(sum(cardinality(h.held)), 0)::integer AS frequency
          FROM unnest(asked_words) AS a(word) LEFT JOIN held h ON h.word = a.word
         GROUP BY a.word),
    weighed AS MATERIALIZED (
        SELECT c.word, c.frequency,
               round(1000 * ln(1 + (greatest(asked_texts - c.frequency, 0) + 0.5::double precision)
                                   / (c.frequency + 0.5::double precision)))::integer AS rarity,
               sum(c.frequency) OVER (ORDER BY c.frequency, c.word COLLATE "C") <= greatest(asked_texts / 5, 1000) AS looked_at
          FROM counted c),
    total AS (
        SELECT coalesce(sum(w.rarity) FILTER (WHERE w.looked_at), 0)::double precision AS rarity,
               coalesce(jsonb_object_agg(w.word, w.frequency), '{}') AS frequencies
          FROM weighed w),
    ranked AS (
        SELECT one >> 10 AS number, sum(w.rarity * (one & 1023)) AS rank
          FROM weighed w JOIN held h ON h.word = w.word CROSS JOIN LATERAL unnest(h.held) AS one
         WHERE w.looked_at
         GROUP BY one >> 10)
    SELECT r.numbers, r.ranks, r.last_number, r.best_rank, t.rarity / 1000, t.frequencies
      INTO numbers, ranks, last_number, best_rank, most, frequencies
      FROM total t
     CROSS JOIN LATERAL (
           SELECT array_agg(x.number) AS numbers, array_agg(x.rank / (heaviest * greatest(t.rarity, 1))) AS ranks,
                  max(x.number) AS last_number, max(x.rank / (heaviest * greatest(t.rarity, 1))) AS best_rank
             FROM ranked x) AS r;
END $$;
