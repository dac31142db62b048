-- name: keep_questions
-- What the archive file says of questions holds from here on; what is over is erased.
SELECT api.keep_questions(%(days)s::integer);

-- name: refusals
-- Newest first. By the key and not by an offset: a page costs the same however far back it lies.
SELECT refusal_id, refused_at, reason, record, question, question_until
  FROM private.refusal
 WHERE archive_id = (SELECT api.scope())
   AND (%(before)s::bigint IS NULL OR refusal_id < %(before)s::bigint)
   AND (%(only)s::bigint IS NULL OR refusal_id = %(only)s::bigint)
   AND (%(reason)s::text IS NULL OR reason = %(reason)s::text)
   AND (%(days)s::integer IS NULL OR refused_at > now() - make_interval(hours => 24 * %(days)s::integer))
 ORDER BY refusal_id DESC
 LIMIT %(limit)s;

-- name: refusal_counts
-- Over the whole of what is asked for, not over a page of it.
SELECT reason, count(*) AS times
  FROM private.refusal
 WHERE archive_id = (SELECT api.scope())
   AND (%(reason)s::text IS NULL OR reason = %(reason)s::text)
   AND (%(days)s::integer IS NULL OR refused_at > now() - make_interval(hours => 24 * %(days)s::integer))
 GROUP BY reason
 ORDER BY times DESC, reason COLLATE "C";

-- name: refusal_days
-- As counted, by the days of UTC: what a plot over time is drawn from.
SELECT (refused_at AT TIME ZONE interval '0')::date AS day, reason, count(*) AS times
  FROM private.refusal
 WHERE archive_id = (SELECT api.scope())
   AND (%(reason)s::text IS NULL OR reason = %(reason)s::text)
   AND (%(days)s::integer IS NULL OR refused_at > now() - make_interval(hours => 24 * %(days)s::integer))
 GROUP BY day, reason
 ORDER BY day, reason COLLATE "C";
