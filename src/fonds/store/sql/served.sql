-- name: revision
-- Which revision the database is at, asked by a service that is at work.
SELECT api.revision();

-- name: live_build
-- What one request holds throughout; row security shows no other build. Narrowings are the archive's as the
-- request sees them: the build's own number is that of its making.
SELECT b.build_id, b.provider, b.model, b.dimensions, b.query_prefix, b.passage_prefix, b.centring, b.score_floor,
       b.coverage_floor, b.built_at, b.entity_count, b.fragment_count, b.public_entity_count, b.phrase_word_lengths,
       b.phrase_char_lengths, api.narrowings(), b.text_count,
       c.source, c.rule, c.alpha, c.counted, c.near_misses, c.threshold, c.hint_threshold,
       c.public_hint_threshold, c.signal, c.means, c.deviations, c.weights, c.bias, c.fitted, c.plugins, c.space_id, c.questions, c.made_at, c.price
  FROM api.served_build() AS b LEFT JOIN api.served_calibration() AS c ON true;

-- name: nearest
-- The scan: ids and figures of the rows that can change the result, the first of them with their content.
-- Vectors stay behind the function.
SELECT * FROM api.nearest_content(
       %(vector)s, %(phrases)s::text[], %(floor)s::double precision,
       %(public_cap)s::integer, %(private_cap)s::integer, %(everything)s::boolean,
       %(raws)s::text[], %(types)s::text[], %(exposures)s::text[],
       %(first_day)s::date, %(last_day)s::date, %(include_undated)s::boolean,
       %(creator)s::text, %(creator_unspaced)s::boolean, %(speaker)s::text, %(speaker_unspaced)s::boolean,
       %(title_max)s::double precision, %(theme_max)s::double precision, %(phrase_raws)s::text[], %(theme_cap)s::integer,
       %(recency_max)s::double precision, %(recency_raws)s::text[], %(recent_after)s::date,
       %(disclosure_max)s::double precision, %(other_max)s::double precision,
       %(words)s::text[], %(texts)s::integer, %(lexical_max)s::double precision,
       %(exactly)s::boolean, %(with_content)s::integer);

-- name: undated
-- How many undated fragments every other filter would have kept.
SELECT api.undated(
       %(raws)s::text[], %(types)s::text[], %(exposures)s::text[],
       %(creator)s::text, %(creator_unspaced)s::boolean, %(speaker)s::text, %(speaker_unspaced)s::boolean);

-- name: content
-- What the chosen fragments and their entities may show. OFFSET 0 keeps each entity a look-up of its own:
-- joined, the planner reads all entities of the build, since no statistics are kept of words.
-- JSON comes as text: most of it is an empty list, which needs no parser.
SELECT f.fragment_id, f.raw, f.entity_id, f.exposure, f.place::text, f.text, f.summary, f.trail, f.gist, f.gist_source,
       f.gist_review, f.attribution::text, f.date, f.themes,
       e.type, e.title, e.url, e.attribution::text, e.date, e.version, e.identifiers::text, e.parent, e.themes
  FROM served.fragment f
 CROSS JOIN LATERAL (
        SELECT n.* FROM served.entity n
         WHERE n.archive_id = f.archive_id AND n.build_id = f.build_id AND n.entity_id = f.entity_id OFFSET 0) AS e
 WHERE f.archive_id = %(archive_id)s AND f.build_id = %(build_id)s AND f.fragment_id = ANY (%(fragment_ids)s::text[]);

-- name: note_refusal
-- A reason, its figures, and the question where the author keeps it; nothing comes back.
SELECT api.note_refusal(%(reason)s, %(record)s, %(question)s, %(days)s);

-- name: standing
-- What is told of an archive to whoever keeps it: figures and closed words.
SELECT api.standing(%(days)s);

-- name: holdings
-- What an archive holds, of public rows alone, so that nothing private moves a figure: types and themes by how
-- often they occur, in an order that every server sorts alike, and the first and the last day of what is dated.
SELECT t.types, t.counts, h.themes, d.first_year, d.last_year
  FROM (SELECT coalesce(array_agg(k.type ORDER BY k.many DESC, k.type COLLATE "C"), '{}') AS types,
               coalesce(array_agg(k.many ORDER BY k.many DESC, k.type COLLATE "C"), '{}') AS counts
          FROM (SELECT e.type, count(*) AS many FROM served.entity e
                 WHERE e.archive_id = %(archive_id)s AND e.build_id = %(build_id)s AND e.raw = 'public'
                 GROUP BY e.type ORDER BY many DESC, e.type COLLATE "C" LIMIT %(most_types)s) AS k) AS t
 CROSS JOIN (SELECT coalesce(array_agg(k.theme ORDER BY k.many DESC, k.theme COLLATE "C"), '{}') AS themes
          FROM (SELECT theme, count(*) AS many FROM served.entity e CROSS JOIN LATERAL unnest(e.themes) AS theme
                 WHERE e.archive_id = %(archive_id)s AND e.build_id = %(build_id)s AND e.raw = 'public'
                 GROUP BY theme ORDER BY many DESC, theme COLLATE "C" LIMIT %(most_themes)s) AS k) AS h
 CROSS JOIN (SELECT extract(year FROM min(f.date_start))::integer AS first_year,
                    extract(year FROM max(f.date_end))::integer AS last_year
          FROM served.fragment f
         WHERE f.archive_id = %(archive_id)s AND f.build_id = %(build_id)s AND f.raw = 'public') AS d;
